# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer requests about resources, prompts and argument completion: everything that a server offers beside tools.

The answers come from resources.json and prompts.json. Only a resource that is fetched from the upstream needs a
request: this module finds the resource, and `fetching.py` sends the request. Loaded by the first request about a
resource or a prompt.
"""

from __future__ import annotations

from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, MAX_LINE, Fault
from .wire_formats import FIXED, PASSING, STALE, Contents, as_known, complete_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from .catalog import Catalog
    from .jsonrpc import Members

    Answer: TypeAlias = Callable[[Members], "dict[str, Any]"]
    from .table import ArgumentNode, Message, Prompt, Resource

MOST_VALUES = 100
"""Largest number of values in one completion, as MCP limits it."""

LONGEST_URI = 8192
"""Longest URI in characters. A longer URI matches no resource and is not examined."""

LONGEST_SHOWN = 64

TOO_LARGE = "The answer to {} is larger than clients read in one message."
_PARTS = "/?#&"


class Fetched:
    """A resource that must be fetched from the upstream: its table entry, and the values of its URI's variables."""

    __slots__ = ("entry", "variables")

    def __init__(self, entry: Resource, variables: dict[str, object]) -> None:
        self.entry = entry
        self.variables = variables


# Decision 0058: Arguments of a prompt are checked.
class Features:
    """Resources and prompts of one table. `changes` is True if the lists can change (reload)."""

    def __init__(self, catalog: Catalog, changes: bool = False) -> None:
        self._server = catalog.server
        self._cache = PASSING if catalog.private else STALE if changes else FIXED
        self._kept = f"{catalog.name}://result/"
        self._resources: list[Resource] = catalog.entries("resources")
        prompts: list[Prompt] = catalog.entries("prompts")
        self._prompts = {each["listed"]["name"]: each for each in prompts}
        self._fixed = {each["listed"]["uri"]: each for each in self._resources if "uri" in each["listed"]}
        templates = [each for each in self._resources if "uriTemplate" in each["listed"]]
        self._templates = [(_pieces(each["listed"]["uriTemplate"]), each) for each in templates]
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
        """Return the result of the MCP request `method`, as JSON. Raise Fault for invalid params."""
        members = self._answers[method](params)
        if method == "prompts/get":
            for each in members["messages"]:
                each["content"] = as_known(each["content"], revision, self._server["name"])
        cache = self._cache if method.endswith("/list") else None
        return complete_result(members, revision, self._server, cache)

    def find(self, uri: str) -> Contents | Fetched | None:
        """Return the contents at `uri`, or how to fetch them, or None if no entry of the table matches.

        URIs of stored results never match, whatever the templates are.
        """
        if len(uri) > LONGEST_URI:
            return Contents(uri, None, f"There is nothing at this URI: it has more than {LONGEST_URI:,} characters.")
        if uri.startswith(self._kept):
            return None
        if uri in self._fixed:
            entry = self._fixed[uri]
            return Fetched(entry, {}) if "binding" in entry else Contents(uri, [_content(entry)], fixed=True)
        for pieces, entry in self._templates:
            if (found := _matched(uri, *pieces)) is not None and (variables := _decoded(found)) is not None:
                if outside := _outside(entry, variables):
                    return Contents(uri, None, f"There is nothing at this URI: {'; '.join(outside)}.")
                return Fetched(entry, variables)
        return None

    def _listed(self, kind: str, entries: Iterable[Resource | Prompt], params: Members) -> dict[str, object]:
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
        parts = [part for each in entry["messages"] for part in each.get("text", ())]
        if sum(len(_filled(part, given)) for part in parts) > MAX_LINE:  # a message may use one argument more than once
            raise Fault(INTERNAL_ERROR, TOO_LARGE.format("prompts/get"))
        messages = [{"role": each["role"], "content": self._block(each, given)} for each in entry["messages"]]
        described = {key: entry["listed"][key] for key in ("description",) if key in entry["listed"]}
        return {**described, "messages": messages}

    def _prompt_of(self, name: object) -> Prompt:
        if not isinstance(name, str):
            raise Fault(INVALID_PARAMS, "A prompt is named by a string.")
        if name not in self._prompts:
            from difflib import get_close_matches  # imported here, since mistaken names are rare

            near = get_close_matches(name[:LONGEST_SHOWN], self._prompts)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise Fault(INVALID_PARAMS, f"There is no prompt {_shown(name)}.{meant}")
        return self._prompts[name]

    def _block(self, message: Message, given: dict[str, object]) -> dict[str, object]:
        if "resource" in message:
            held = _content(self._fixed[message["resource"]])
            return _media(held) or {"type": "resource", "resource": held}
        return {"type": "text", "text": "".join(_filled(part, given) for part in message["text"])}

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

    def _referred(self, ref: dict[str, object]) -> tuple[Resource | Prompt, list[str]]:
        """Return the prompt or resource that `ref` names, and the names of its arguments.

        Raise Fault if there is none.
        """
        if ref.get("type") == "ref/prompt":
            prompt = self._prompt_of(ref.get("name"))
            return prompt, [each["name"] for each in prompt["listed"].get("arguments", ())]
        if ref.get("type") != "ref/resource":
            raise Fault(INVALID_PARAMS, "params.ref.type must be ref/prompt or ref/resource.")
        uri = ref.get("uri")
        for entry in self._resources:
            if uri in (entry["listed"].get("uriTemplate"), entry["listed"].get("uri")) and isinstance(uri, str):
                return entry, _pieces(uri)[1]
        raise Fault(INVALID_PARAMS, f"There is no resource {_shown(str(uri))}.")


def _filled(part: str | ArgumentNode, given: dict[str, object]) -> str:
    """Return one part of a prompt's text: a literal, or the value of an argument."""
    return part if isinstance(part, str) else str(given.get(part["argument"], ""))


def _pieces(template: str) -> tuple[list[str], list[str]]:
    """Return the literal texts of a URI template, and the names of the variables between them."""
    first, *rest = template.split("{")
    parts = [part.partition("}") for part in rest]
    return [first, *(literal for _, _, literal in parts)], [name for name, _, _ in parts]


def _matched(uri: str, literals: list[str], names: list[str]) -> dict[str, str] | None:
    """Return the values of a template's variables, as written in `uri`, or None if the template does not match.

    A value lies within one URI segment and ends at the first occurrence of the literal text that follows. The last ends
    with the URI. Other splits need not be tried: a later end would only move text from the next variable into this one.
    """
    at, end = len(literals[0]), len(uri) - len(literals[-1])
    if not (uri.startswith(literals[0]) and uri.endswith(literals[-1])):
        return None
    found = {}
    for number, name in enumerate(names, 1):
        stop = uri.find(literals[number], at + 1) if number < len(names) else end
        value = uri[at:stop] if stop > at else ""
        if not value or any(mark in value for mark in _PARTS):
            return None
        found[name], at = value, stop + len(literals[number])
    return found


def _decoded(found: dict[str, str]) -> dict[str, object] | None:
    """Return the percent-decoded values of the variables, or None if one is not UTF-8."""
    from urllib.parse import unquote  # imported here: few URIs have variables

    try:
        return {name: unquote(value, errors="strict") for name, value in found.items()}
    except UnicodeDecodeError:
        return None


def _outside(entry: Resource | Prompt, given: dict[str, object]) -> list[str]:
    """Return one sentence for each argument with a value that is not allowed. It lists the allowed values."""
    values = entry.get("values", {})
    wrong = [name for name, value in given.items() if name in values and value not in values[name]]
    return [f"{name} must be one of {', '.join(_listing(values[name]))}" for name in wrong]


def _listing(values: list[str]) -> list[str]:
    return values if len(values) <= 20 else [*values[:20], f"... ({len(values)} in all)"]


def _completed(values: Iterable[str], begun: str) -> list[str]:
    """Return the values that begin with `begun`, followed by those that contain it. Case is ignored."""
    folded = begun.casefold()
    held = [value for value in values if folded in value.casefold()]
    return sorted(held, key=lambda value: not value.casefold().startswith(folded))


def _content(entry: Resource) -> dict[str, object]:
    """Return content that was compiled into the table, as MCP's TextResourceContents or BlobResourceContents."""
    listed = entry["listed"]
    held: dict[str, object] = {key: entry[key] for key in ("text", "blob") if key in entry}
    return {"uri": listed["uri"], "mimeType": listed["mimeType"], **held}


def _media(held: dict[str, Any]) -> dict[str, object] | None:
    """Return an image or audio content block, or None if the first bytes show neither an image nor audio."""
    family = held["mimeType"].partition("/")[0]
    if "blob" not in held or family not in ("image", "audio"):
        return None
    from base64 import b64decode  # imported here: few prompts hold images or audio

    from ..text.signatures import TAKEN, settled  # imported here: few prompts hold images or audio

    media_type = settled(held["mimeType"].partition(";")[0].strip().lower(), b64decode(held["blob"]))
    return {"type": family, "data": held["blob"], "mimeType": media_type} if media_type in TAKEN else None


def _shown(text: str) -> str:
    return f"'{text[:LONGEST_SHOWN]}'"
