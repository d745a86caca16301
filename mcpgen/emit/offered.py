"""List the files that mcpgen writes into a project only once: a test of the server, `.gitignore`, `.gitattributes`,
and files for deployment.

A server runs without these files, so its owner may delete them for good. The lock file records that they were written.

`.gitattributes` says how git treats generated files (gitattributes(5)). A server checks the digests of its JSON files
(such as `tools.json`), and the lock file has a digest of every file. So a checkout must not change line ends, as git
does on Windows by default. The patterns still match if the Python package gets another name.
"""

from collections.abc import Container

from mcpgen.base import assets

GITATTRIBUTES = ".gitattributes"

GITATTRIBUTES_TEXT = b"""\
# Yours: mcpgen writes it once and never again. Your own files are not named here, so git treats them as ever.

# Generated files are known by their digests: git must leave their line ends alone.
/README.md -text
/SKILL.md -text
/pyproject.toml -text
/mcpgen.lock.json -text
/mcpgen.schema.json -text linguist-generated
/*_mcp/__init__.py -text
/*_mcp/__main__.py -text
/*_mcp/asgi.py -text
/*_mcp/*.json -text linguist-generated
/*_mcp/runtime/** -text linguist-generated

# What you edit too has the same line ends everywhere, whatever your editor writes. A merge keeps the entries of both
# sides of the changelog.
/CHANGELOG.md text eol=lf merge=union
/mcpgen.yaml text eol=lf
/.gitignore text eol=lf
/tests/test_server.py text eol=lf
/*_mcp/hooks.py text eol=lf
"""
"""Code hosts collapse files that are marked as generated in reviews: the runtime, the JSON tables and the schema."""

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
