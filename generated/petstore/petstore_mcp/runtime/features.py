# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What a server offers beside tools: its resources and prompts, and the values that complete their arguments. Pure.

All of it is in two tables of the compiler (resources.json, prompts.json), so every answer here is a matter of looking
up; the one thing that needs an upstream, a resource with a request, is found here and fetched elsewhere (fetching.py).
Loaded by the first request about any of it.
"""

from __future__ import annotations

from .jsonrpc import INVALID_PARAMS, Fault
from .shapes import FIXED, STALE, Contents, complete_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from .catalog import Catalog
    from .jsonrpc import Members

    Answer: TypeAlias = Callable[[Members], "dict[str, object]"]

MOST_VALUES = 100
"""Values of one completion, as MCP limits them."""

LONGEST_SHOWN = 64


class Fetched:
    """A resource that is fetched: its entry in the table, and the variables of the URI that was asked for."""

    __slots__ = ("entry", "variables")

    def __init__(self, entry: dict[str, Any], variables: dict[str, object]) -> None:
        self.entry = entry
        self.variables = variables


class Features:
    """The resources and prompts of one table. `changes` says whether another may come."""

    def __init__(self, catalog: Catalog, changes: bool = False) -> None:
        self._server = catalog.server
        self._cache = STALE if changes else FIXED
        self._resources = catalog.entries("resources")
        self._prompts = {each["listed"]["name"]: each for each in catalog.entries("prompts")}
        self._fixed = {each["listed"]["uri"]: each for each in self._resources if "uri" in each["listed"]}
        templates = [each for each in self._resources if "uriTemplate" in each["listed"]]
        self._templates = [(_pattern(each["listed"]["uriTemplate"]), each) for each in templates]
        self._answers: dict[str, Answer] = {
            "resources/list": lambda params: self._listed("resources", self._fixed.values(), params),
            "resources/templates/list": lambda params: self._listed(
                "resourceTemplates", (each for _, each in self._templates), params
            ),
            "prompts/list": lambda params: self._listed("prompts", self._prompts.values(), params),
            "prompts/get": self._prompt,
            "completion/complete": self._completion,
        }

    def answer(self, method: str, params: Members, revision: str) -> bytes:
        """The result of that method. Raises Fault."""
        members = self._answers[method](params)
        return complete_result(members, revision, self._server, self._cache if method.endswith("/list") else None)

    def find(self, uri: str) -> Contents | Fetched | None:
        """What is at that URI: what it holds, or how it is fetched; None where the table has nothing there."""
        if uri in self._fixed:
            entry = self._fixed[uri]
            return Fetched(entry, {}) if "binding" in entry else Contents(uri, [_content(entry)], fixed=True)
        for pattern, entry in self._templates:
            if (match := pattern.fullmatch(uri)) and (variables := _decoded(match)) is not None:
                if outside := _outside(entry, variables):
                    return Contents(uri, None, f"There is nothing at this URI: {'; '.join(outside)}.")
                return Fetched(entry, variables)
        return None

    def _listed(self, kind: str, entries: Iterable[dict[str, Any]], params: Members) -> dict[str, object]:
        if "cursor" in params:
            raise Fault(INVALID_PARAMS, "Unknown cursor: the list has one page.")
        return {kind: [each["listed"] for each in entries]}

    # Prompts

    def _prompt(self, params: Members) -> dict[str, object]:
        entry, given = self._prompt_of(params.get("name")), params.get("arguments", {})
        if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
            raise Fault(INVALID_PARAMS, "params.arguments must be an object of strings.")
        declared = {each["name"]: each["required"] for each in entry["listed"].get("arguments", ())}
        problems = [f"there is no argument {_shown(name)}" for name in given if name not in declared]
        problems += [f"{name} is required" for name, required in declared.items() if required and not given.get(name)]
        problems += _outside(entry, {name: value for name, value in given.items() if value})
        if problems:
            known = f" Its arguments: {', '.join(declared)}." if declared else " It has no arguments."
            raise Fault(INVALID_PARAMS, f"The prompt was not made: {'; '.join(problems)}.{known}")
        messages = [{"role": each["role"], "content": self._block(each, given)} for each in entry["messages"]]
        described = {key: entry["listed"][key] for key in ("description",) if key in entry["listed"]}
        return {**described, "messages": messages}

    def _prompt_of(self, name: object) -> dict[str, Any]:
        if not isinstance(name, str):
            raise Fault(INVALID_PARAMS, "A prompt is named by a string.")
        if name not in self._prompts:
            from difflib import get_close_matches  # a mistaken name is rare, and this is not for free

            near = get_close_matches(name[:LONGEST_SHOWN], self._prompts)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise Fault(INVALID_PARAMS, f"There is no prompt {_shown(name)}.{meant}")
        return self._prompts[name]

    def _block(self, message: dict[str, Any], given: dict[str, object]) -> dict[str, object]:
        if "resource" in message:
            return {"type": "resource", "resource": _content(self._fixed[message["resource"]])}
        parts = (part if isinstance(part, str) else str(given.get(part["argument"], "")) for part in message["text"])
        return {"type": "text", "text": "".join(parts)}

    # Completion

    def _completion(self, params: Members) -> dict[str, object]:
        ref, argument = params.get("ref"), params.get("argument")
        if not isinstance(ref, dict) or not isinstance(argument, dict):
            raise Fault(INVALID_PARAMS, "completion/complete needs params.ref and params.argument, objects.")
        name, begun = argument.get("name"), argument.get("value")
        if not isinstance(name, str) or not isinstance(begun, str):
            raise Fault(INVALID_PARAMS, "params.argument needs a name and a value, strings.")
        entry, names = self._referred(ref)
        if name not in names:
            known = f" There are: {', '.join(names)}." if names else ""
            raise Fault(INVALID_PARAMS, f"It has no argument {_shown(name)}.{known}")
        found = _completed(entry.get("values", {}).get(name, ()), begun)
        shown = found[:MOST_VALUES]
        return {"completion": {"values": shown, "total": len(found), "hasMore": len(found) > len(shown)}}

    def _referred(self, ref: dict[str, object]) -> tuple[dict[str, Any], list[str]]:
        """The prompt or resource that is meant, and the names of its arguments. Raises Fault."""
        if ref.get("type") == "ref/prompt":
            entry = self._prompt_of(ref.get("name"))
            return entry, [each["name"] for each in entry["listed"].get("arguments", ())]
        if ref.get("type") != "ref/resource":
            raise Fault(INVALID_PARAMS, "params.ref.type must be ref/prompt or ref/resource.")
        uri = ref.get("uri")
        for entry in self._resources:
            if uri in (entry["listed"].get("uriTemplate"), entry["listed"].get("uri")) and isinstance(uri, str):
                return entry, _pieces(uri)[1]
        raise Fault(INVALID_PARAMS, f"There is no resource {_shown(str(uri))}.")


def _pattern(template: str) -> re.Pattern[str]:
    """What the URIs of a template look like: each variable is some text within one part of it."""
    import re  # only templates need it

    literals, names = _pieces(template)
    ends = zip(names, literals[1:], strict=True)
    return re.compile(re.escape(literals[0]) + "".join(f"(?P<{name}>[^/?#&]+){re.escape(end)}" for name, end in ends))


def _pieces(template: str) -> tuple[list[str], list[str]]:
    """The literal text of a template, and the variables between."""
    first, *rest = template.split("{")
    parts = [part.partition("}") for part in rest]
    return [first, *(literal for _, _, literal in parts)], [name for name, _, _ in parts]


def _decoded(match: re.Match[str]) -> dict[str, object] | None:
    """The values of the variables, decoded; None where they are no text."""
    from urllib.parse import unquote  # as above

    try:
        return {name: unquote(value, errors="strict") for name, value in match.groupdict().items()}
    except UnicodeDecodeError:
        return None


def _outside(entry: dict[str, Any], given: dict[str, object]) -> list[str]:
    """For each value that is none of those that there are, which these are."""
    values = entry.get("values", {})
    wrong = [name for name, value in given.items() if name in values and value not in values[name]]
    return [f"{name} must be one of {', '.join(_listing(values[name]))}" for name in wrong]


def _listing(values: list[str]) -> list[str]:
    return values if len(values) <= 20 else [*values[:20], f"... ({len(values)} in all)"]


def _completed(values: Iterable[str], begun: str) -> list[str]:
    """The values that begin so, then those that hold it, without regard to case."""
    folded = begun.casefold()
    first = [value for value in values if value.casefold().startswith(folded)]
    return first + [value for value in values if folded in value.casefold() and value not in first]


def _content(entry: dict[str, Any]) -> dict[str, object]:
    """TextResourceContents or BlobResourceContents of what was compiled."""
    listed = entry["listed"]
    held: dict[str, object] = {key: entry[key] for key in ("text", "blob") if key in entry}
    return {"uri": listed["uri"], "mimeType": listed["mimeType"], **held}


def _shown(text: str) -> str:
    return f"'{text[:LONGEST_SHOWN]}'"
