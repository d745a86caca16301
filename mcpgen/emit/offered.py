"""List the files that mcpgen writes into a project only once: a test of the server, `.gitignore`, and files for
deployment.

A server runs without these files, so its owner may delete them for good. The lock file records that they were written.
"""

from collections.abc import Container

from mcpgen.base import assets

GITIGNORE, TEST = ".gitignore", "tests/test_server.py"

# Decision 0161: The files tests/test_server.py and .gitignore are written only once.
OFFERED = (GITIGNORE, TEST)

# Decision 0164: Deployment files are written only once.
DEPLOYMENT = (
    ".dockerignore",
    "Containerfile",
    "deploy/compose.yaml",
    "deploy/grafana-dashboard.json",
    "deploy/haproxy.cfg",
    "deploy/kubernetes/deployment.yaml",
    "deploy/kubernetes/horizontal-pod-autoscaler.yaml",
    "deploy/kubernetes/kustomization.yaml",
    "deploy/kubernetes/network-policy.yaml",
    "deploy/kubernetes/pod-disruption-budget.yaml",
    "deploy/kubernetes/secret.example.yaml",
    "deploy/kubernetes/service.yaml",
    "deploy/secrets/.gitignore",
)
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
