"""Create all files of a release: the bundle, the wheel and the sdist, `server.json`, the server card and the SBOM."""

from mcpgen.base.jsonvalue import digest, document
from mcpgen.base.tree import FileTree
from mcpgen.bundle import registry
from mcpgen.bundle.archive import zip_bytes
from mcpgen.bundle.distributions import build_distributions
from mcpgen.bundle.manifest import bundle_files
from mcpgen.bundle.project import Project
from mcpgen.bundle.publisher import Publisher
from mcpgen.bundle.sbom import bill_of_materials
from mcpgen.bundle.settings import list_settings

SUMS = "SHA256SUMS"
SERVER_JSON, CARD = "server.json", "server-card.json"


def make_artifacts(project: Project, publisher: Publisher, epoch: int, *, wheel: bool = True) -> FileTree:
    """Return file name → contents of the release. The same project and the same settings give the same bytes.

    `epoch`: time of all archive entries. `wheel`: False leaves out the wheel and the sdist. If `publisher` has no name
    in the MCP registry, `server.json` and `server-card.json` are left out. Raises FatalError if the project cannot be
    released.
    """
    publisher.check()
    settings = list_settings(project)
    bundle = zip_bytes(bundle_files(project, publisher, settings), epoch)
    made = {registry.bundle_name(project): bundle}
    named = bool(publisher.registry_name)
    if wheel:
        made |= build_distributions(project, registry.ownership_proof(publisher) if named else "", epoch)
    bill = document(bill_of_materials(project, made))
    if named:
        made[SERVER_JSON] = document(registry.server_json(project, publisher, settings, digest(bundle)))
        made[CARD] = document(registry.server_card(project, publisher))
    made[f"{project.identity.command}-{project.identity.version}.cdx.json"] = bill
    sums = "".join(f"{digest(data)}  {name}\n" for name, data in sorted(made.items()))
    return FileTree({**made, SUMS: sums.encode("ascii")})
