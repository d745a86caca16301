"""Test the Kubernetes manifests: valid by the official schemas, restricted as the Pod Security Standards demand, and
consistent with the generated server.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from package.runtime.http_server.over_http import LINGER
from package.runtime.http_server.service import GRACE
from package.runtime.replicas.sharing import LAST_SECONDS

from tests.deployment.projects import KUBERNETES, SPECS, deployed, deployed_document, manifests, write

FOUND = manifests(deployed())
KINDS = {name: each for name, each in FOUND.items() if name != "kustomization.yaml"}
POD = FOUND["deployment.yaml"]["spec"]["template"]["spec"]
CONTAINER = POD["containers"][0]
LABELS = {"app.kubernetes.io/name": "petstore-mcp"}


@pytest.mark.parametrize("version", ["1.31", "1.37"])
@pytest.mark.parametrize("name", KINDS)
def test_it_is_valid_by_the_schema_of_kubernetes(name: str, version: str) -> None:
    kubernetes_validate.validate(KINDS[name], version, strict=True)


def test_the_schemas_refuse_a_key_that_does_not_exist() -> None:
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**KINDS["service.yaml"], "spek": {}}, "1.31", strict=True)


@pytest.mark.parametrize("source", SPECS, ids=lambda path: path.name.split(".")[0])
def test_every_example_is_valid(source: Path) -> None:
    for name, each in manifests(deployed(source)).items():
        if name != "kustomization.yaml":
            kubernetes_validate.validate(each, "1.37", strict=True)


def test_what_the_restricted_profile_forbids_is_not_there() -> None:
    """Check the rules of the Pod Security Standards, profile `restricted`."""
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    context = CONTAINER["securityContext"]
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert context["readOnlyRootFilesystem"] is True
    assert not POD.keys() & {"hostNetwork", "hostPID", "hostIPC"}
    assert {key for volume in POD["volumes"] for key in volume} == {"name", "secret", "emptyDir"}


def test_the_user_is_that_of_the_image() -> None:
    [user, group] = re.findall(r"^USER (\d+):(\d+)$", deployed()["Containerfile"].decode(), re.MULTILINE)[0]
    context = POD["securityContext"]
    assert (context["runAsUser"], context["runAsGroup"], context["fsGroup"]) == (int(user), int(group), int(group))


def test_calls_have_time_to_end() -> None:
    pause = int(re.findall(r"sleep\((\d+)\)", " ".join(CONTAINER["lifecycle"]["preStop"]["exec"]["command"]))[0])
    assert pause + LINGER + GRACE + LAST_SECONDS < POD["terminationGracePeriodSeconds"]


def test_probes_ask_the_right_path() -> None:
    asked = {name: CONTAINER[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")}
    assert asked == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}


def test_all_are_of_one_server() -> None:
    assert {each["metadata"]["name"] for each in KINDS.values()} == {"petstore-mcp"}
    selectors = [
        FOUND["deployment.yaml"]["spec"]["selector"]["matchLabels"],
        FOUND["deployment.yaml"]["spec"]["template"]["metadata"]["labels"],
        FOUND["service.yaml"]["spec"]["selector"],
        FOUND["pod-disruption-budget.yaml"]["spec"]["selector"]["matchLabels"],
        FOUND["network-policy.yaml"]["spec"]["podSelector"]["matchLabels"],
    ]
    assert selectors == [LABELS] * 5
    assert FOUND["horizontal-pod-autoscaler.yaml"]["spec"]["scaleTargetRef"]["name"] == "petstore-mcp"
    assert FOUND["horizontal-pod-autoscaler.yaml"]["spec"]["minReplicas"] == 3
    assert "replicas" not in FOUND["deployment.yaml"]["spec"], "the autoscaler decides"


def test_every_file_that_is_named_is_a_key_of_the_secret() -> None:
    mount = CONTAINER["volumeMounts"][0]["mountPath"]
    named = {each["value"].removeprefix(f"{mount}/") for each in CONTAINER["env"]}
    assert named == {*FOUND["secret.example.yaml"]["stringData"]}
    assert {each["name"] for each in CONTAINER["env"]} == {
        "PETSTORE_HTTP_TOKENS",
        *(f"PETSTORE_{name}_FILE" for name in ("STATE_KEY", "STORE", "API_KEY", "BEARER")),
    }
    assert all("value" in each for each in CONTAINER["env"]), "no secret is in the environment itself"


def test_services_of_the_cluster_make_no_settings() -> None:
    """Check that pods get no environment variables for services of the cluster.

    By default, Kubernetes sets PETSTORE_MCP_PORT and others, which look like settings of the server.
    """
    assert POD["enableServiceLinks"] is False
    assert POD["automountServiceAccountToken"] is False


def ports(tree: Any) -> list[list[int]]:
    return [
        [port["port"] for port in rule["ports"]] for rule in manifests(tree)["network-policy.yaml"]["spec"]["egress"]
    ]


def document(*servers: str, **more: Any) -> dict[str, Any]:
    paths = {"/a": {"get": {"operationId": "getA", "responses": {"200": {"description": ""}}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": url} for url in servers],
        "paths": paths,
        **more,
    }


@pytest.mark.parametrize(
    ("servers", "found"),
    [
        (["https://api.example.com"], [443]),
        (["http://api.example.com/v1"], [80]),
        (["https://api.example.com:8443/v1"], [8443]),
        (["https://[2001:db8::1]/v1"], [443]),
        (["https://[2001:db8::1]:9443/v1"], [9443]),
        (["/v1"], [443]),
    ],
)
def test_what_is_reached_is_names_the_store_and_the_api(servers: list[str], found: list[int]) -> None:
    assert ports(deployed_document(document(*servers), name="t")) == [[53, 53], [6379], found]


def test_variables_of_a_port_count_by_their_defaults() -> None:
    variables = {"port": {"default": "8444"}}
    server = {"url": "https://api.example.com:{port}/v1", "variables": variables}
    assert ports(deployed_document({**document(), "servers": [server]}, name="t"))[2] == [8444]


def test_the_metadata_of_the_machine_is_not_reached() -> None:
    [blocks] = [rule["to"] for rule in FOUND["network-policy.yaml"]["spec"]["egress"] if "ipBlock" in rule["to"][0]]
    assert "169.254.0.0/16" in blocks[0]["ipBlock"]["except"]


def test_the_kustomization_lists_every_manifest_but_the_example() -> None:
    listed = FOUND["kustomization.yaml"]["resources"]
    assert {*listed} == KINDS.keys() - {"secret.example.yaml"}


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="not installed: kubectl")
def test_kustomize_joins_them(tmp_path: Path) -> None:
    folder = write(deployed(), tmp_path) / KUBERNETES
    done = subprocess.run(
        ["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    joined = {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}
    assert joined.keys() == {each["kind"] for each in KINDS.values()} - {"Secret"} | {"ConfigMap"}
    container = joined["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert container["image"] == "registry.example.com/petstore-mcp:0.1.0"
    settings = joined["ConfigMap"]
    assert container["envFrom"] == [{"configMapRef": {"name": settings["metadata"]["name"]}}]
    assert settings["data"] == {"PETSTORE_HTTP_HOSTS": "petstore-mcp,mcp.example.com"}
