# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer requests about resources, prompts and argument completion: everything that a server offers beside tools.

The answers come from resources.json and prompts.json. If an answer needs a request to the upstream, this module returns
an action (module `effects`), and `calls/execution.py` sends the request. This module is imported at the first request
about a resource or a prompt. URIs are matched against templates of RFC 6570, level 1, in linear time.
"""

from __future__ import annotations

from .effects import NEEDS, Complete, Fetch, Fetched, GetPrompt, ReadResource, check_cursor, dialogue
from .encode_response import TOO_LARGE
from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, MAX_LINE, Fault
from .wire_formats import FIXED, PASSING, STALE, Contents, PromptMessages, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypeAlias

    from ..tables.table import ArgumentNode, CompletionSource, Message, Prompt, Resource
    from .catalog import Catalog
    from .effects import Dialogue, Origin
    from .jsonrpc import Members, Request
    from .wire_formats import Block

    Answer: TypeAlias = Callable[[Members], "dict[str, object]"]

_PARTS = "/?#&"


def pieces(template: str) -> tuple[list[str], list[str]]:
    """Return the literal texts of a URI template, and the names of the variables between them."""
    first, *rest = template.split("{")
    parts = [part.partition("}") for part in rest]
    return [first, *(literal for _, _, literal in parts)], [name for name, _, _ in parts]


def matched(uri: str, literals: list[str], names: list[str]) -> dict[str, str] | None:
    """Return the values of a template's variables, as written in `uri`, or None if the template does not match.

    A value lies within one URI segment and ends at the first occurrence of the literal text that follows. The last
    value ends with the URI. Other splits need not be tried: they would only move text from one variable into another.
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


def decoded(found: dict[str, str]) -> dict[str, object] | None:
    """Return the percent-decoded values of the variables, or None if a value is not UTF-8."""
    from urllib.parse import unquote  # imported here: few URIs have variables

    try:
        return {name: unquote(value, errors="strict") for name, value in found.items()}
    except UnicodeDecodeError:
        return None


LONGEST_SHOWN = 64


# One error lists all mistakes, so that the person who typed the arguments can correct them in one step.
def checked(entry: Prompt, params: Members) -> Members:
    """Return the arguments of a `prompts/get` request.

    Raise Fault if an argument is unknown, missing, no string, or has a value that is not allowed.
    """
    given = params.get("arguments")
    if given is None:
        given = {}
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise Fault(INVALID_PARAMS, "params.arguments must be an object of strings.")
    declared = {each["name"]: each["required"] for each in entry["listed"].get("arguments", ())}
    problems = [f"there is no argument {shown(name)}" for name in given if name not in declared]
    problems += [f"{name} is required" for name, required in declared.items() if required and not given.get(name)]
    problems += outside(entry, {name: value for name, value in given.items() if value})
    if problems:
        known = f" Its arguments: {', '.join(declared)}." if declared else " It has no arguments."
        raise Fault(INVALID_PARAMS, f"The prompt was not made: {'; '.join(problems)}.{known}")
    return given


def uris(entry: Prompt, given: Members) -> list[str]:
    """Return the URIs of the resources that the prompt's messages embed, without duplicates."""
    return list(dict.fromkeys(uri for each in entry["messages"] if (uri := _uri(each, given))))


def made(entry: Prompt, given: Members, found: Mapping[str, Contents]) -> PromptMessages:
    """Return the messages of the prompt. `found`: URI -> contents, for each URI that `uris` returns.

    Raise Fault if a resource has no contents, or if the messages are larger than clients read.
    """
    for there in found.values():
        if there.contents is None:
            told = there.reason or f"There is no resource {shown(there.uri)}."
            raise Fault(INVALID_PARAMS, f"The prompt was not made. {told}")
    parts = [part for each in entry["messages"] for part in each.get("text", ())]
    # An argument is inserted at each of its placeholders, so one long argument can make the messages too large.
    if sum(len(_filled(part, given)) for part in parts) > MAX_LINE:
        raise Fault(INTERNAL_ERROR, TOO_LARGE.format("prompts/get"))
    messages: list[dict[str, Any]] = [
        {"role": each["role"], "content": block} for each in entry["messages"] for block in _blocks(each, given, found)
    ]
    return PromptMessages(messages, entry["listed"].get("description", ""))


def outside(entry: Resource | Prompt, given: Members) -> list[str]:
    """Return a clause for each argument with a value that is not allowed. The clause lists the allowed values."""
    values = entry.get("values", {})
    wrong = [name for name, value in given.items() if name in values and value not in values[name]]
    return [f"{name} must be one of {', '.join(_listing(values[name]))}" for name in wrong]


def shown(text: str) -> str:
    """Return `text`, which a client sent, shortened and in quotation marks for an error message."""
    return f"'{text[:LONGEST_SHOWN]}'"


def _listing(values: list[str]) -> list[str]:
    return values if len(values) <= 20 else [*values[:20], f"... ({len(values)} in all)"]


def _blocks(message: Message, given: Members, found: Mapping[str, Contents]) -> list[Block]:
    """Return the content blocks of a message: one block for a text, or one for each content of an embedded resource."""
    if uri := _uri(message, given):
        contents = found[uri].contents or ()
        return [_media(each) or {"type": "resource", "resource": each} for each in contents]
    return [{"type": "text", "text": "".join(_filled(part, given) for part in message["text"])}]


def _uri(message: Message, given: Members) -> str:
    """Return the URI of the resource that a message embeds, with arguments filled in; "" if the message is a text."""
    if "chosen" not in message:
        return message.get("resource", "")
    from urllib.parse import quote  # imported here: few prompts embed a resource with arguments in its URI

    parts = message["chosen"]
    return "".join(part if isinstance(part, str) else quote(_filled(part, given), safe="") for part in parts)


def _filled(part: str | ArgumentNode, given: Members) -> str:
    """Return one part of a prompt's text: a literal, or the value of an argument."""
    return part if isinstance(part, str) else str(given.get(part["argument"], ""))


def _media(held: Mapping[str, Any]) -> Block | None:
    """Return the resource contents `held` as an image or audio block, or None if its first bytes show neither."""
    family = held["mimeType"].partition("/")[0]
    if "blob" not in held or family not in ("image", "audio"):
        return None
    from base64 import b64decode  # imported here: few prompts hold images or audio

    from ..text.signatures import TAKEN, settled  # imported here: few prompts hold images or audio

    media_type = settled(held["mimeType"].partition(";")[0].strip().lower(), b64decode(held["blob"]))
    return {"type": family, "data": held["blob"], "mimeType": media_type} if media_type in TAKEN else None


MOST_VALUES = 100
"""Largest number of values in one completion, as MCP limits it."""

TYPED = "value"
"""Name of the argument for what the user has typed so far, in a request that fetches values for a completion."""

LONGEST_URI = 8192
"""Longest URI in characters. A longer URI matches no resource and is not examined."""


class Features:
    """Resources and prompts of one catalog.

    `changes` is True if the lists can change (reload). `polls` is True if some resources are polled.
    """

    def __init__(self, catalog: Catalog, changes: bool = False) -> None:
        self.polls = catalog.offers("polls")
        self._cache = PASSING if catalog.private else STALE if changes else FIXED
        self._catalog = catalog
        self._resources: list[Resource] = catalog.entries("resources")
        entries: list[Prompt] = catalog.entries("prompts")
        self._prompts = {each["listed"]["name"]: each for each in entries}
        self._fixed = {each["listed"]["uri"]: each for each in self._resources if "uri" in each["listed"]}
        templates = [each for each in self._resources if "uriTemplate" in each["listed"]]
        self._templates = [(pieces(each["listed"]["uriTemplate"]), each) for each in templates]
        self._answers: dict[str, Answer] = {
            "resources/list": lambda params: self._listed("resources", self._fixed.values(), params),
            "resources/templates/list": lambda params: self._listed(
                "resourceTemplates", (each for _, each in self._templates), params
            ),
            "prompts/list": lambda params: self._listed("prompts", self._prompts.values(), params),
        }

    def serve(
        self, request: Request, revision: str, handshake: Dialogue, who: Origin
    ) -> Contents | PromptMessages | Reply | Complete | Fetch | GetPrompt | ReadResource:
        """Return the outcome of a request, or the action (module `effects`) that the caller must perform to get it.

        Raise Fault if `params` are invalid. `handshake`: how the server can ask the user, according to the capabilities
        in `initialize`; not used for a stateless request, which declares the client's capabilities itself.
        `who`: caller and trace of the request.
        """
        if request.method == "resources/read":
            return self._read(request.params.get("uri"), revision, who)
        if request.method == "prompts/get":
            return self._prompt(request, dialogue(request, revision, handshake), who)
        if request.method == "completion/complete":
            return self._completion(request.params, revision, who)
        if NEEDS.get(request.method) == "skills":
            from ..skills.skills import answered  # imported here: few servers have skills

            return answered(request, self._resources, self._cache)
        return Reply(request.method, self._answers[request.method](request.params), self._cache)

    def find(self, uri: str) -> Contents | Fetched | None:
        """Return the contents at `uri`, or how to fetch them, or None if no resource matches.

        URIs of stored results match no resource, not even one whose URI template would match.
        """
        if len(uri) > LONGEST_URI:
            return Contents(uri, None, f"There is nothing at this URI: it has more than {LONGEST_URI:,} characters.")
        if uri.startswith(f"{self._catalog.name}://result/"):
            return None
        if "views" in self._catalog.header and uri.startswith("ui://views"):
            from ..views.views import contents  # imported here: few servers have views

            return contents(uri, self._catalog)
        if uri in self._fixed:
            entry = self._fixed[uri]
            return Fetched(entry, {}) if "binding" in entry else Contents(uri, [_content(entry)], fixed=True)
        for template, entry in self._templates:
            if (found := matched(uri, *template)) is not None and (variables := decoded(found)) is not None:
                if wrong := outside(entry, variables):
                    return Contents(uri, None, f"There is nothing at this URI: {'; '.join(wrong)}.")
                return Fetched(entry, variables)
        return None

    def _listed(self, kind: str, entries: Iterable[Resource | Prompt], params: Members) -> dict[str, object]:
        check_cursor(params)
        return {kind: [each["listed"] for each in entries]}

    def _read(self, uri: object, revision: str, who: Origin) -> Contents | Fetch | ReadResource:
        if not isinstance(uri, str):
            raise Fault(INVALID_PARAMS, "resources/read needs params.uri, a string.")
        found = self.find(uri)
        if isinstance(found, Fetched):
            return Fetch(uri, found.entry, found.variables, revision, who)
        return found or ReadResource(uri)

    def _prompt(self, request: Request, heard: Dialogue, who: Origin) -> PromptMessages | GetPrompt:
        entry = self._prompt_of(request.params.get("name"))
        given = checked(entry, request.params)
        if "ask" in entry:
            return GetPrompt(entry, given, self.find, heard, who)
        found = {uri: self.find(uri) for uri in uris(entry, given)}
        there = {uri: held for uri, held in found.items() if isinstance(held, Contents)}
        if len(there) < len(found):
            return GetPrompt(entry, given, self.find, heard, who)
        return made(entry, given, there)

    def _prompt_of(self, name: object) -> Prompt:
        if not isinstance(name, str):
            raise Fault(INVALID_PARAMS, "A prompt is named by a string.")
        if name not in self._prompts:
            from difflib import get_close_matches  # imported here, since mistaken names are rare

            near = get_close_matches(name[:LONGEST_SHOWN], self._prompts)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise Fault(INVALID_PARAMS, f"There is no prompt {shown(name)}.{meant}")
        return self._prompts[name]

    # Completion of arguments

    def _completion(self, params: Members, revision: str, who: Origin) -> Reply | Complete:
        ref, argument = params.get("ref"), params.get("argument")
        if not isinstance(ref, dict) or not isinstance(argument, dict):
            raise Fault(INVALID_PARAMS, "completion/complete needs params.ref and params.argument, objects.")
        name, begun = argument.get("name"), argument.get("value")
        if not isinstance(name, str) or not isinstance(begun, str):
            raise Fault(INVALID_PARAMS, "params.argument needs a name and a value, strings.")
        entry, names = self._referred(ref)
        if name not in names:
            known = f" There are: {', '.join(names)}." if names else ""
            raise Fault(INVALID_PARAMS, f"It has no argument {shown(name)}.{known}")
        source = entry.get("completes", {}).get(name)
        if source is None:
            return completion(matching(entry.get("values", {}).get(name, ()), begun))
        filled = _filled_before(params.get("context"), names)
        needed = [part["argument"] for part in source["binding"]["path"] if isinstance(part, dict)]
        arguments: Members = {**filled, TYPED: begun}
        if not all(arguments.get(each) for each in needed) or _may_not(source, who):
            return completion([])
        listed = entry["listed"]
        owner = listed.get("uriTemplate") or listed["name"]
        return Complete(f"{owner} {name}", source, begun, arguments, revision, who)

    def _referred(self, ref: dict[str, object]) -> tuple[Resource | Prompt, list[str]]:
        """Return the prompt or resource that `ref` names, and the names of its arguments.

        Raise Fault if there is no such prompt or resource.
        """
        if ref.get("type") == "ref/prompt":
            prompt = self._prompt_of(ref.get("name"))
            return prompt, [each["name"] for each in prompt["listed"].get("arguments", ())]
        if ref.get("type") != "ref/resource":
            raise Fault(INVALID_PARAMS, "params.ref.type must be ref/prompt or ref/resource.")
        uri = ref.get("uri")
        for entry in self._resources:
            if uri in (entry["listed"].get("uriTemplate"), entry["listed"].get("uri")) and isinstance(uri, str):
                return entry, pieces(uri)[1]
        raise Fault(INVALID_PARAMS, f"There is no resource {shown(str(uri))}.")


def completion(found: list[str], complete: bool = True) -> Reply:
    """Return the result of completion/complete. `complete`: True if `found` has all matching values."""
    shown = found[:MOST_VALUES]
    total = {"total": len(found)} if complete else {}
    more = len(found) > len(shown) or not complete
    return Reply("completion/complete", {"completion": {"values": shown, **total, "hasMore": more}})


def matching(values: Iterable[str], begun: str) -> list[str]:
    """Return the values that begin with `begun`, followed by those that contain it. Case is ignored."""
    folded = begun.casefold()
    held = [value for value in values if folded in value.casefold()]
    return sorted(held, key=lambda value: not value.casefold().startswith(folded))


def _filled_before(context: object, names: list[str]) -> Members:
    """Return the arguments in `names` that the client has already filled in.

    `context`: the member of a completion request that revisions from 2025-06-18 on have.
    """
    said = context.get("arguments") if isinstance(context, dict) else None
    if not isinstance(said, dict):
        return {}
    return {name: said[name] for name in names if isinstance(said.get(name), str)}


def _may_not(source: CompletionSource, who: Origin) -> bool:
    """Return True if the request that fetches the values of a completion needs scopes of the caller's access token.

    Such a request is not sent, because completions do not check scopes.
    """
    return "callerScopes" in source["binding"] and who.peer is not None and who.peer.identity is not None


def _content(entry: Resource) -> dict[str, object]:
    """Return content stored in resources.json, as MCP's TextResourceContents or BlobResourceContents."""
    listed = entry["listed"]
    held: dict[str, object] = {key: entry[key] for key in ("text", "blob") if key in entry}
    return {"uri": listed["uri"], "mimeType": listed["mimeType"], **held}
