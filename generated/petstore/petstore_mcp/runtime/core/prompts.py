# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Make the messages of a prompt from its entry in prompts.json, its arguments, and the contents of its resources.

All functions are pure. The module is imported at the first request about a resource or a prompt.
"""

from __future__ import annotations

from .encode_response import TOO_LARGE
from .jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, MAX_LINE, Fault
from .wire_formats import PromptMessages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..tables.table import ArgumentNode, Message, Prompt, Resource
    from .jsonrpc import Members
    from .wire_formats import Block, Contents

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
