"""The wings of the runtime: a folder for each feature, and which other wings a feature needs.

A server can run without a wing whose feature it does not have. So no module of the plain core imports a module of a
wing when it is loaded, and no wing so imports another wing that it does not declare (`needs`).
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wing:
    """A feature of servers, or code that several features share. Its modules stand in the folder of its name.

    - `needs`: names of the wings without which it does not work. It may import their modules when it is loaded.
    - `uses`: names of the wings that it works with where a server has both. It imports their modules late.
    - `fields`: those of the tables that only it reads, so that a table with one of them needs the wing. A field is
      `TYPE.MEMBER` of the types of the tables, or `TYPE.MEMBER=TEXT` if its value must contain the text.
    """

    name: str
    needs: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


PLAIN = "plain"
"""Name of the wing that every server has: stdio, calls, and the command line with --list, --explain and --doctor."""

CORE = ("calls", "commands", "core", "http", "request", "result", "serve", "settings", "text", "tuning")
"""Folders of the plain core. Its other modules stand in the folder of the runtime itself."""

WINGS = (
    Wing(PLAIN),
    Wing("accounts", (), ("http_server",), fields=("Header.accounts", "Binding.account")),
    # What a tool, a resource or a prompt of the server asks for
    Wing("features", ("pointers", "questions"), fields=("Header.features", "Header.completes")),
    Wing("files", fields=("Body.encoding=multipart", "Body.encoding=binary", "Field.part")),
    Wing("hooks", ("questions", "secrets")),
    Wing("inner_calls", (), ("http_server", "questions")),
    Wing("jobs", ("pointers",), ("http_server",), fields=("Binding.task", "Header.tasks")),
    Wing("lookups", ("inner_calls", "pointers"), fields=("Binding.pages", "Binding.lookups")),
    Wing("pointers"),
    Wing("programs", ("inner_calls", "questions", "search"), ("http_server",), fields=("Search.finders=run_",)),
    Wing("questions", fields=("Binding.confirm", "Binding.ask", "Binding.requires", "Header.asks", "Prompt.ask")),
    Wing(
        "results",
        ("files", "pointers", "templates"),
        (),
        ("Binding.output", "Binding.result", "Binding.saves", "Binding.accept=graphql-response", "TaskRule.result"),
    ),
    Wing("search", (), ("skills",), fields=("Header.search",)),
    Wing("secrets"),
    Wing("skills", fields=("Header.skills",)),
    Wing("templates", fields=("Parameter.template", "Body.template", "Body.encoding=xml", "Body.xml", "Field.xml")),
    Wing("tenants", fields=("Binding.variables", "ServerVariable.pattern")),
    Wing("views", fields=("Header.views", "Header.pictures", "Binding.view")),
    Wing("watching", (), ("features",), fields=("Header.polls", "Resource.poll")),
    Wing("workflows", ("inner_calls", "pointers", "questions"), fields=("Header.workflows", "Binding.workflow")),
    # How the server gets and uses access tokens, and signs requests
    Wing("oauth", fields=("CredentialWays.fetched", "Scheme.login")),
    Wing("login", ("oauth",), fields=("CredentialWays.user", "Scheme.user")),
    Wing("signing", fields=("Scheme.signing",)),
    # Streamable HTTP
    Wing(
        "http_server",
        ("watching",),
        ("audit", "delegation", "identity", "questions", "reload", "replicas", "telemetry"),
    ),
    Wing("identity", ("http_server", "oauth")),
    Wing("delegation", ("http_server", "oauth")),
    Wing("replicas", ("http_server",)),
    # What the operator asks for by a flag, a command or a setting
    Wing("telemetry", (), ("http_server",)),
    Wing("audit", ("files", "secrets")),
    Wing("reach", ("secrets",)),
    Wing("reload", ("files",)),
    Wing("install", ("files",), ("accounts",)),
    Wing("shell"),
    # The types of the tables, for mypy and the compiler: no server loads them
    Wing("tables"),
)
"""All wings. Each module of the runtime belongs to exactly one of them."""


def wing_of(path: str) -> str:
    """Return the name of the wing to which a module of the runtime belongs, by its path."""
    folder = path.partition("/")[0]
    return PLAIN if folder in CORE or "/" not in path else folder


def modules(runtime: Iterable[str]) -> dict[str, list[str]]:
    """Return the name of each wing → its modules, as paths. `runtime`: the paths of all modules."""
    found: dict[str, list[str]] = {wing.name: [] for wing in WINGS}
    for path in sorted(runtime):
        found[wing_of(path)].append(path)
    return found
