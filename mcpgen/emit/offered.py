"""List the files that mcpgen writes into a project only once: a test of the server, `.gitignore`, and files for
deployment.

A server runs without these files, so its owner may delete them for good. The lock file records that they were written.
"""

from collections.abc import Container

from mcpgen.base import assets

GITIGNORE, TEST = ".gitignore", "tests/test_server.py"

# An owner who deletes one of these files does not want it back at every `generate` (docs/decisions/writing.md).
OFFERED = (GITIGNORE, TEST)

# Only the operator knows the image, hosts, limits and secrets in these files, and edits each of them
# (docs/decisions/writing.md).
DEPLOYMENT = (
    ".dockerignore", "Containerfile", "deploy/compose.yaml", "deploy/grafana-dashboard.json", "deploy/haproxy.cfg",
    "deploy/kubernetes/deployment.yaml", "deploy/kubernetes/horizontal-pod-autoscaler.yaml",
    "deploy/kubernetes/kustomization.yaml", "deploy/kubernetes/network-policy.yaml",
    "deploy/kubernetes/pod-disruption-budget.yaml", "deploy/kubernetes/secret.example.yaml",
    "deploy/kubernetes/service.yaml", "deploy/secrets/.gitignore",
)  # fmt: skip
"""The files that `--deploy` adds."""

ONCE = (*OFFERED, *DEPLOYMENT)


def offered_now(deploy: bool, before: Container[str]) -> tuple[str, ...]:
    """Return the files that mcpgen has offered (written once) so far, for the next lock file.

    `deploy`: True if this run offers the deployment files. Otherwise the only deployment files in the list are
    those in `before`, which earlier runs have offered.
    """
    return (*OFFERED, *(path for path in DEPLOYMENT if deploy or path in before))


def test_file() -> bytes:
    """Return the test of the server, the same in every project."""
    return (assets.project_templates() / TEST).read_bytes()
