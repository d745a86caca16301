"""Write the tools file that `mcpgen adopt` derives from the configuration of another program's MCP server.

`emit/sinks.py` escapes text that mcpgen did not write.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mcpgen.adopt.foreign import Remark
from mcpgen.base.jsonvalue import JsonObject, JsonValue, compact, without_empty
from mcpgen.base.secrets import without_secrets
from mcpgen.emit.sinks import yaml_comment, yaml_scalar
from mcpgen.model import Operation
from mcpgen.model.selection import Selector, select
from mcpgen.read.toolsfile import editors

Selectors = list[dict[str, str]]

_PROSE = "##"


@dataclass(frozen=True, slots=True)
class Override:
    """Settings of one operation in the tools file.

    `key`: operationId, or method and path. `is_offered`: True to make the operation a tool although mcpgen would hide
    it.
    """

    key: str
    name: str = ""
    aliases: tuple[str, ...] = ()
    is_offered: bool = False


@dataclass(slots=True)
class Entry:
    """One document in the tools file. `include`, `exclude`: selectors, each as kind → value."""

    document: str
    base_url: str = ""
    include: Selectors = field(default_factory=list)
    exclude: Selectors = field(default_factory=list)
    overrides: list[Override] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FetchedPart:
    """A resource whose contents a GET request returns: its name, its URI and its request."""

    name: str
    uri: str
    request: str
    base_url: str = ""


@dataclass(slots=True)
class Draft:
    """All contents of the tools file.

    `security`: None for no setting, `none` for no credentials, or schemes by name. `folders`: folders of documents
    outside the tools file's folder. `offers_all`: True to offer also operations that mcpgen would hide.
    """

    origin: str
    name: str
    entries: list[Entry]
    title: str = ""
    instructions: str = ""
    searches: bool = False
    security: JsonObject | str | None = None
    timeout: float | None = None
    folders: Sequence[str] = ()
    resources: Sequence[FetchedPart] = ()
    offers_all: bool = False

    @property
    def rule(self) -> JsonObject:
        """Return the settings of the tools file that apply to all operations: the timeout, and `hide: false` if all are
        offered.
        """
        seconds = self.timeout
        timeout: JsonObject = {"timeout": int(seconds) if seconds == int(seconds) else seconds} if seconds else {}
        return {**timeout, **({"hide": False} if self.offers_all else {})}


def write(draft: Draft, target: str, remarks: Iterable[Remark] = ()) -> str:
    """Return the text of the tools file, without secrets. The `remarks` are comments at the beginning of the file."""
    lines = [
        editors.line(),
        *_head(draft, target, list(remarks)),
        "mcpgen: 1",
        *_server(draft),
        *([f"ref_dir: [{', '.join(map(yaml_scalar, draft.folders))}]"] if draft.folders else ()),
        *_security(draft),
        "",
        "openapi:",
        *(line for entry in draft.entries for line in _entry(entry)),
        *(["", "overrides:", f"  '*': {_flow(draft.rule)}"] if draft.rule else ()),
        *_resources(draft),
    ]
    return without_secrets("\n".join(lines)) + "\n"


def _head(draft: Draft, target: str, remarks: list[Remark]) -> Iterator[str]:
    yield (
        f"{_PROSE} This tools file has the same tools, with the same names, as {yaml_comment(draft.origin)}. "
        "After each edit, run:"
    )
    yield f"{_PROSE}   mcpgen generate {yaml_comment(shlex.quote(target))}"
    if remarks:
        yield f"{_PROSE} Differences:"
    for remark in remarks:
        place = f" ({yaml_comment(str(remark.where))})" if remark.where is not None else ""
        yield f"{_PROSE} - {yaml_comment(remark.text)}{place}"


def _server(draft: Draft) -> Iterator[str]:
    yield "server:"
    yield f"  name: {yaml_scalar(draft.name)}"
    if draft.title:
        yield f"  title: {yaml_scalar(draft.title)}"
    if draft.instructions:
        yield f"  instructions: {yaml_scalar(draft.instructions)}"
    if draft.searches:
        yield "  tools: search"


def _security(draft: Draft) -> Iterator[str]:
    if isinstance(draft.security, str):
        yield f"security: {yaml_scalar(draft.security)}"
    elif draft.security:
        yield "security:"
        yield from (f"  {yaml_scalar(name)}: {_flow(each)}" for name, each in draft.security.items())


def _entry(entry: Entry) -> Iterator[str]:
    yield f"  - document: {yaml_scalar(entry.document)}"
    if entry.base_url:
        yield f"    base_url: {yaml_scalar(entry.base_url)}"
    for key, selectors in (("include", entry.include), ("exclude", entry.exclude)):
        if selectors:
            yield f"    {key}:"
            yield from (f"      - {_flow(dict[str, JsonValue](each))}" for each in selectors)
    if entry.overrides:
        yield "    overrides:"
        yield from (f"      {yaml_scalar(each.key)}: {_flow(_override(each))}" for each in entry.overrides)


def _override(override: Override) -> JsonObject:
    offered: JsonObject = {"hide": False} if override.is_offered else {}
    return {**without_empty(name=override.name, aliases=override.aliases), **offered}


def _resources(draft: Draft) -> Iterator[str]:
    if draft.resources:
        yield from ("", "resources:")
    for each in draft.resources:
        said = without_empty(name=each.name, uri=each.uri, request=each.request, base_url=each.base_url)
        yield f"  - {_flow(said)}"


def _flow(value: JsonValue) -> str:
    """Return a value in YAML's flow style, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_scalar(key)}: {_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return yaml_scalar(value) if isinstance(value, str) else compact(value)


# -- include and exclude -----------------------------------------------------------------------------------------------


def selectors(
    known: Sequence[Operation], wanted: Sequence[Operation], *, includes: bool
) -> tuple[Selectors, Selectors]:
    """Return the lists of `include` and `exclude` selectors that select exactly the operations `wanted` out of `known`.

    `includes`: True if the server that is adopted lists operations to include. Then `exclude` is empty, so that
    operations added later are left out. Otherwise, and if nothing is wanted, `include` is empty. Selectors by tag are
    preferred, then those by method (only for `include`), then one selector for each operation.
    """
    kept = {operation.key for operation in wanted}
    left_out = [operation for operation in known if operation.key not in kept]
    if not left_out:
        return [], []
    if not kept:  # nothing is wanted, but an empty `include` would select everything: exclude every method
        return [], [{"method": value} for value in _values(known, "method")]
    chosen = wanted if includes else left_out
    for kind in ("tag", "method") if includes else ("tag",):
        found = [{kind: value} for value in _values(chosen, kind)]
        include, exclude = (found, []) if includes else ([], found)
        if len(found) <= len(chosen) and _keys(known, include, exclude) == kept:
            return include, exclude
    return (_single(known, wanted), []) if includes else ([], _single(known, left_out))


def _values(operations: Sequence[Operation], kind: str) -> list[str]:
    """Return values of `kind` (`tag` or `method`) that together select all of `operations`.

    For `tag`, return [] if one of `operations` has no tag.
    """
    if kind == "method":
        return sorted({operation.method for operation in operations})
    if not all(operation.tags for operation in operations):
        return []
    common = Counter(tag for operation in operations for tag in operation.tags)
    return sorted({max(operation.tags, key=lambda tag: common[tag]) for operation in operations})


def _single(known: Sequence[Operation], operations: Sequence[Operation]) -> Selectors:
    ids = Counter(operation.id for operation in known)
    return [
        {"id": _literal(operation.id)}
        if operation.id and ids[operation.id] == 1
        else {"method": operation.method, "path": _literal(operation.path)}
        for operation in operations
    ]


def _literal(text: str) -> str:
    """Return a glob that matches `text` alone."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _keys(known: Sequence[Operation], include: Selectors, exclude: Selectors) -> set[str]:
    """Return the keys of the operations that the selectors choose; an empty set if there are no selectors."""
    if not include and not exclude:
        return set()
    return {operation.key for operation in select(known, list(_made(include)), list(_made(exclude)))}


def _made(found: Selectors) -> Iterator[Selector]:
    return (Selector(tuple(each.items())) for each in found)
