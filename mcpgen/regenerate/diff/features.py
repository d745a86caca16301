"""Compare the resources of two servers by their URIs, and the prompts by their names."""

from collections.abc import Iterator

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.regenerate.diff import rules
from mcpgen.regenerate.diff.change import Change
from mcpgen.regenerate.diff.surface import Surface

_WORDS = ("name", "title", "description")


def compared(old: Surface, new: Surface) -> Iterator[Change]:
    """Yield all changes of resources and prompts."""
    yield from _resources(_by_uri(old.resources), _by_uri(new.resources))
    yield from _prompts(_by_name(old.prompts), _by_name(new.prompts))


def _by_uri(entries: tuple[JsonObject, ...]) -> dict[str, JsonObject]:
    listed = [as_object(entry.get("listed")) for entry in entries]
    uris = [as_text(each.get("uri")) or as_text(each.get("uriTemplate")) for each in listed]
    return dict(zip(uris, entries, strict=True))


def _by_name(entries: tuple[JsonObject, ...]) -> dict[str, JsonObject]:
    return {as_text(as_object(entry.get("listed")).get("name")): entry for entry in entries}


def _resources(old: dict[str, JsonObject], new: dict[str, JsonObject]) -> Iterator[Change]:
    for uri in sorted(old.keys() | new.keys()):
        if uri not in new:
            yield rules.of_server("resource-removed", before=uri, at=uri)
        elif uri not in old:
            yield rules.of_server("resource-added", after=uri, at=uri)
        elif old[uri] != new[uri]:
            yield from _resource(uri, old[uri], new[uri])


def _resource(uri: str, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    had, has = as_object(old.get("listed")), as_object(new.get("listed"))
    if had.get("mimeType") != has.get("mimeType"):
        yield rules.of_server("resource-type", had.get("mimeType"), has.get("mimeType"), at=uri)
    if _words(had) != _words(has) or old.get("values") != new.get("values"):
        yield rules.of_server("resource-words", at=uri)
    if any(old.get(key) != new.get(key) for key in ("text", "blob", "binding", "skill")):
        yield rules.of_server("resource-contents", at=uri)
    if ("poll" in old) != ("poll" in new):
        yield rules.of_server("resource-watched" if "poll" in new else "resource-unwatched", at=uri)


def _prompts(old: dict[str, JsonObject], new: dict[str, JsonObject]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield rules.of_server("prompt-removed", before=name, at=name)
        elif name not in old:
            yield rules.of_server("prompt-added", after=name, at=name)
        elif old[name] != new[name]:
            yield from _prompt(name, old[name], new[name])


def _prompt(name: str, old: JsonObject, new: JsonObject) -> Iterator[Change]:
    had, has = as_object(old.get("listed")), as_object(new.get("listed"))
    if _words(had) != _words(has) or old.get("values") != new.get("values"):
        yield rules.of_server("prompt-words", at=name)
    if old.get("messages") != new.get("messages"):
        yield rules.of_server("prompt-messages", at=name)
    before, after = _arguments(had.get("arguments")), _arguments(has.get("arguments"))
    for argument in sorted(before.keys() | after.keys()):
        if code := _changed(before.get(argument), after.get(argument)):
            yield rules.of_server(code, argument, argument, at=name)


def _words(listed: JsonObject) -> JsonValue:
    """Return the title and description of a prompt or resource, and those of its arguments."""
    arguments = [{key: each.get(key) for key in _WORDS} for each in map(as_object, as_list(listed.get("arguments")))]
    return [{key: listed.get(key) for key in _WORDS}, *arguments]


def _arguments(value: JsonValue) -> dict[str, bool]:
    """Return the arguments of a prompt by name: True if the argument is required, else False."""
    entries = map(as_object, as_list(value))
    return {as_text(entry.get("name")): entry.get("required") is True for entry in entries}


def _changed(old: bool | None, new: bool | None) -> str:
    """Return the code of a prompt argument's change, such as "prompt-argument-removed", or "" if there is no change.

    `old`, `new`: True if the argument is required, False if it is optional, None if it does not exist.
    """
    if old == new:
        return ""
    if new is None:
        return "prompt-argument-removed"
    if new:
        return "prompt-argument-required"
    return "prompt-argument-added" if old is None else "prompt-argument-optional"
