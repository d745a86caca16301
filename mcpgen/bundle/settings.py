"""List the settings for which clients ask the user of a released server. The settings come from the project's JSON
files: the header of `bindings.json` is read back into model objects.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from mcpgen.base import origins
from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError
from mcpgen.base.invisible import shown
from mcpgen.base.jsonvalue import JsonObject, as_list, as_object, as_text
from mcpgen.base.runtime import settings_table
from mcpgen.bundle.project import Project
from mcpgen.emit.environment import list_variables
from mcpgen.emit.table import server_variable
from mcpgen.lower.tool.accounts import renamed
from mcpgen.model import WAYS, BoundScheme, GivenVariable, Server, ServerVariable

Kind = Literal["text", "folder", "switch"]

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,199}")
_LONGEST_TEXT = 300
_LONGEST_DEFAULT = 2000
_ACRONYMS = frozenset({"api", "id", "url"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable of a server, as clients ask for it. `choices`: its allowed values, if they are listed.

    `needed`: True if no tool works without this setting.
    """

    variable: str
    title: str
    description: str
    kind: Kind = "text"
    secret: bool = False
    needed: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


# The README's list comes from the same code, so no manifest lists a variable that nothing reads. Hosts insert the text
# `${user_config.X}` for a missing value and replace `${NAME}` in defaults. So each optional setting has a default, and
# none from a document contains `$`.
def list_settings(project: Project) -> tuple[Setting, ...]:
    """Return the settings of a server: credentials, variables of server URLs, base URL, and the rows of the settings
    table that have a form.

    Raises FatalError if the project's JSON files name an invalid environment variable.
    """
    header, prefix = project.surface.header, project.identity.prefix
    given = _given_variables(project)
    servers = tuple(_server(as_object(entry), given) for entry in as_list(header.get("servers")))
    bindings = [tool.binding for tool in project.surface.tools]
    fetched = project.surface.fetched
    choices = [[_texts(each) for each in as_list(binding.get("security"))] for binding in [*bindings, *fetched]]
    schemes = tuple(_scheme(name, as_object(entry)) for name, entry in as_object(header.get("security")).items())
    accounts = as_object(header.get("accounts")).values()
    found: dict[str, Setting] = {}
    for own in [as_text(as_object(each).get("environment")) for each in accounts] or [prefix]:
        mine = renamed(schemes, prefix, own)
        partial = _partly_needed(mine, choices)
        for row in list_variables(mine, servers, own, choices):
            found[row.variable] = Setting(
                row.variable,
                _title(row.variable, prefix),
                _described(row.purpose),
                secret=row.secret,
                needed=row.required and row.variable not in partial,
                choices=_choices(row.variable, servers, own),
            )
    for setting in (_base_url(header, servers, prefix), *_own(bindings, prefix)):
        found.setdefault(setting.variable, setting)
    for variable in found:
        if not _VARIABLE.fullmatch(variable):
            message = "The tools.json or bindings.json of the project names an invalid environment variable."
            raise FatalError("no-project", message, hint="Run `mcpgen regenerate`.")
    return tuple(found.values())


def _partly_needed(schemes: tuple[BoundScheme, ...], choices: list[list[tuple[str, ...]]]) -> set[str]:
    """Return the environment variables of security schemes that are not needed by every tool.

    A form must not require these variables, because at least one tool works without them.
    """
    always = [set(ways[0]).intersection(*ways) if ways else set[str]() for ways in choices]
    needed = set.intersection(*always) if always else set()
    kept = {variable for each in schemes if each.name in needed for variable in each.variables.values()}
    return {variable for each in schemes for variable in each.variables.values()} - kept


def _title(variable: str, prefix: str) -> str:
    """Return the title of a variable for a form: `PETSTORE_API_KEY` becomes `API key`."""
    words = [word for word in variable.removeprefix(f"{prefix}_").lower().split("_") if word]
    spelled = [word.upper() if word in _ACRONYMS else word for word in words]
    text = " ".join(spelled) or variable
    return text[:1].upper() + text[1:]


def _described(purpose: str) -> str:
    """Return the purpose of a setting as one sentence on one line, with hidden characters as Python escapes."""
    line = shown(" ".join(purpose.split()))
    line = line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"
    return line[:1].upper() + line[1:]


def _choices(variable: str, servers: tuple[Server, ...], prefix: str) -> tuple[str, ...]:
    """Return the allowed values of the variable of a server URL that the environment variable `variable` sets.

    Return () if the API lists no values.
    """
    for declared in (each for server in servers for each in server.variables):
        if server_variable(declared, prefix) == variable and all(map(_is_plain, declared.enum)):
            return declared.enum
    return ()


def _base_url(header: JsonObject, servers: tuple[Server, ...], prefix: str) -> Setting:
    """Return the setting of the base URL.

    The first server URL of the API document becomes the default only if no server URL has variables, and no server or
    security scheme has another origin. A default acts like a base URL that the operator sets: it replaces variables,
    and calls and credentials go only to its origin and to the hosts in `..._ALLOW_HOSTS`.
    """
    url = servers[0].url if servers else ""
    is_whole = url.startswith(("https://", "http://"))
    is_alone = is_whole and _is_plain(url) and not any(each.variables for each in servers)
    is_alone = is_alone and origins.described(header) == {origins.of_url(url)}
    told = "The base URL of the API" if is_alone or not is_whole else f"Another base URL for the API than {url}"
    return Setting(
        f"{prefix}_BASE_URL",
        "Base URL",
        _described(told),
        needed=not is_whole,
        default=url if is_alone else "",
    )


def _is_plain(text: str) -> bool:
    """Return True if clients leave `text` unchanged in a setting. Clients would replace `${NAME}` and `$&`."""
    return len(text) <= _LONGEST_DEFAULT and "$" not in text and text.isprintable() and shown(text) == text


def _own(bindings: list[JsonObject], prefix: str) -> Iterator[Setting]:
    """Yield the rows of the settings table that users are asked for and that tools with these bindings need."""
    has = {
        "": True,
        "files": any(_takes_files(as_object(binding.get("body"))) for binding in bindings),
        "downloads": any("saves" in binding for binding in bindings),
    }
    for row in settings_table.SETTINGS:
        if row.form and has.get(row.feature):
            kind, title = row.form
            purpose = row.describe(prefix).partition(". ")[0].removeprefix("`1` to ").replace("`", "")
            yield Setting(row.variable(prefix), title, _described(purpose), kind, row.secret)


def _takes_files(body: JsonObject) -> bool:
    """Return True if a tool with this request body may read a file, to send it as the body or as a part of it."""
    fields = map(as_object, as_list(body.get("fields")))
    return body.get("encoding") == "binary" or any(field.get("part") == "file" for field in fields)


def _given_variables(project: Project) -> dict[str, GivenVariable]:
    """Return the variables of server URLs whose values each call must give, since a tool requires their arguments."""
    found = {}
    for tool in project.surface.tools:
        required = _texts(as_object(tool.shown.get("inputSchema")).get("required"))
        for variable, argument in as_object(tool.binding.get("variables")).items():
            if argument in required:
                found[variable] = GivenVariable(variable, Where("bindings.json"))
    return found


def _server(entry: JsonObject, given: Mapping[str, GivenVariable]) -> Server:
    variables = {name: as_object(each) for name, each in as_object(entry.get("variables")).items()}
    return Server(
        as_text(entry.get("url")),
        tuple(
            ServerVariable(name, as_text(each.get("default")), _texts(each.get("enum")), given=given.get(name))
            for name, each in variables.items()
        ),
    )


def _scheme(name: str, entry: JsonObject) -> BoundScheme:
    variables, purposes, ways = (as_object(entry.get(key)) for key in ("variables", "purposes", "ways"))
    return BoundScheme(
        name,
        {role: as_text(variable) for role, variable in variables.items()},
        {role: as_text(purpose) for role, purpose in purposes.items()},
        _texts(entry.get("secret")),
        {way: _texts(ways[way]) for way in WAYS if way in ways},
        as_text(entry.get("in")),
        as_text(entry.get("name")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
