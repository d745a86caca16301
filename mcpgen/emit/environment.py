"""List the environment variables of a generated server, for its README and for the output of mcpgen's commands: those
that its document asks for, and those that every server reads.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from mcpgen.base.runtime import settings_table
from mcpgen.emit.table import server_variable
from mcpgen.lower.tool.accounts import variables_of
from mcpgen.model import BoundScheme, Catalog, HttpBinding, Server

_OF_PARTS = frozenset({"audit", "telemetry"})
"""Parts whose variables stand in the README."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable of a server.

    `required`: True if some tool cannot be called without the variable. `usual`: True if most users are likely to set
    the variable, as inferred from the kind of credential.
    """

    variable: str
    purpose: str
    secret: bool
    required: bool
    usual: bool = True


def environment(catalog: Catalog) -> tuple[Variable, ...]:
    """Return the environment variables that depend on the API, each once: credentials first, then variables of server
    URLs.
    """
    fetched = [each.binding for each in catalog.resources if each.binding]
    choices = [
        binding.security
        for binding in [*(tool.binding for tool in catalog.all_tools if not tool.binding.workflow), *fetched]
    ]
    found = (list_variables(schemes, catalog.servers, own, choices) for _, own, schemes in variables_of(catalog))
    return tuple(row for rows in found for row in rows)


def list_variables(
    schemes: Iterable[BoundScheme], servers: Iterable[Server], prefix: str, choices: Iterable[Sequence[Sequence[str]]]
) -> tuple[Variable, ...]:
    """Return the environment variables of schemes and servers.

    `choices`: for each tool and resource, a list of alternatives. An alternative is a set of security schemes that are
    needed together.
    """
    needed = _always_needed(choices)
    found = [
        Variable(
            variable,
            scheme.purposes[role],
            secret=role in scheme.secret,
            # A token can be given or fetched, so neither way makes a variable required.
            required=scheme.name in needed and len(scheme.ways) == 1 and role in scheme.ways["given"],
            usual=role in _usual(scheme),
        )
        for scheme in schemes
        for role, variable in scheme.variables.items()
    ]
    for server in servers:
        for declared in server.variables:
            name = server_variable(declared, prefix)
            is_given = declared.given is not None and declared.given.required
            used = "; only for logins and resources, since calls give it" if is_given else ""
            unset = f"; {declared.default} if unset" if declared.default and not is_given else ""
            purpose = f"{declared.name} in the server URL{used}{unset}"
            needed_here = not declared.default
            found.append(Variable(name, purpose, secret=False, required=needed_here, usual=needed_here))
    # One environment variable may give two credentials, or appear in the URLs of two servers. The variable is listed
    # once, for the first credential or server that requires it. If none requires it, it is listed for the first one.
    by: dict[str, Variable] = {}
    for each in sorted(found, key=lambda each: not each.required):
        by.setdefault(each.variable, each)
    return tuple(by[name] for name in dict.fromkeys(each.variable for each in found))


Way = tuple[str, ...]
"""Environment variables that are needed together to give one credential, such as a username and a password."""

_MOST_WAYS = 20
"""Limit on the ways to give credentials that are listed for one tool. Nobody reads more, and combinations of schemes
multiply them.
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternative ways to give the credentials of a tool: one way is enough. `has_more`: True if there are further ways
    that are not listed.
    """

    ways: tuple[Way, ...]
    has_more: bool


def alternatives(catalog: Catalog) -> list[Choice]:
    """Return the distinct choices among ways to give credentials, from all tools that offer several ways.

    A set of security schemes that includes all schemes of another set is left out.
    """
    found: dict[Choice, None] = {}
    schemes = [{scheme.name: scheme for scheme in each} for *_, each in variables_of(catalog)]
    for tool, by in product(catalog.all_tools, schemes):
        needed = [names for names in tool.binding.security if names]
        told = needed[:_MOST_WAYS]
        least = [names for names in told if not any({*other} < {*names} for other in told)]
        each = islice((way for names in least for way in _ways([by[name] for name in names])), _MOST_WAYS + 1)
        ways = tuple(dict.fromkeys(each))
        if len(ways) > 1:
            found[Choice(ways[:_MOST_WAYS], max(len(ways), len(needed)) > _MOST_WAYS)] = None
    return list(found)


def needed_variables(catalog: Catalog) -> tuple[str, ...]:
    """Return the environment variables without which the server cannot call some tool, the base URL first.

    If a tool accepts its credentials in several ways, they are the variables of one way.
    """
    rows, chosen = environment(catalog), {*chosen_credentials(catalog)}
    is_located = any("://" in server.url for server in catalog.servers)
    base_url = () if is_located else (f"{catalog.identity.prefix}_BASE_URL",)
    return (*base_url, *(row.variable for row in rows if row.required or row.variable in chosen))


def chosen_credentials(catalog: Catalog) -> Iterator[str]:
    """For each tool that accepts credentials in several ways, yield the environment variables of one way.

    It is the first way whose variables most users are likely to set (`Variable.usual`). If there is none, it is the
    tool's first way. Tools that can be called without credentials are skipped.
    """
    usual = {row.variable for row in environment(catalog) if row.usual}
    for choice in alternatives(needy(catalog)):
        yield from next((way for way in choice.ways if usual.issuperset(way)), choice.ways[0])


def needy(catalog: Catalog) -> Catalog:
    """Return `catalog` without the tools that can be called without credentials."""
    return replace(catalog, tools=tuple(tool for tool in catalog.tools if all(tool.binding.security)))


def _ways(schemes: list[BoundScheme]) -> Iterator[Way]:
    """Yield the alternative sets of variables, each of which gives the credentials of all `schemes` together."""
    each = [[[scheme.variables[role] for role in way] for way in scheme.ways.values() if way] for scheme in schemes]
    return (tuple(name for way in ways for name in way) for ways in product(*each))


def can_log_in(scheme: BoundScheme) -> bool:
    """Return True if the document says at which URL a user's login gets its token. Implicit OAuth flows have no such
    URL.
    """
    return scheme.user is not None and bool(scheme.user.token_url or scheme.user.metadata_url)


def _usual(scheme: BoundScheme) -> tuple[str, ...]:
    """Return the roles of the variables that most users set. A role, such as `client_id`, says what a variable holds.

    These are the roles for fetching a token if the document says how, else the roles of the credential itself.
    """
    if not scheme.secret:
        return ()
    if scheme.tokens and not scheme.token_url and can_log_in(scheme):
        return ("client_id",)
    return scheme.ways["fetched" if scheme.token_url else "given"]


def _always_needed(choices: Iterable[Sequence[Sequence[str]]]) -> frozenset[str]:
    """Return the schemes without which some tool or resource cannot authenticate."""
    needed: set[str] = set()
    for alternatives in choices:
        if alternatives:
            needed |= set(alternatives[0]).intersection(*alternatives)
    return frozenset(needed)


def setting_rows(catalog: Catalog, parts: Collection[str]) -> list[tuple[str, str]]:
    """Return name and purpose of each variable that this server reads over stdio. A purpose is one sentence.

    `parts`: the parts of the server.
    """
    has, prefix = {"", *_features(catalog), *_OF_PARTS.intersection(parts)}, catalog.identity.prefix
    found = [row for row in settings_table.SETTINGS if row.feature in has]
    return [(row.variable(prefix), row.describe(prefix).partition(". ")[0]) for row in found]


def _features(catalog: Catalog) -> set[str]:
    """Return the features of this server that have variables of their own."""
    bindings = [tool.binding for tool in catalog.all_tools]
    present = {
        "files": any(map(_takes_files, bindings)),
        "downloads": any(binding.saves is not None for binding in bindings),
        "roles": any(tool.roles for tool in catalog.tools),
        "accounts": bool(catalog.accounts),
        "login": any(scheme.user for scheme in catalog.schemes),
    }
    return {name for name, is_present in present.items() if is_present}


def _takes_files(binding: HttpBinding) -> bool:
    """Return True if a call may send a file: as its body, or as a part of it."""
    body = binding.body
    return body is not None and (body.encoding == "binary" or any(field.part == "file" for field in body.fields))
