"""Build the value of a YAML text from PyYAML's event stream.

PyYAML's loader is not used. It reads text as YAML 1.1 (`no` is false, `012` is ten, dates become objects) and expands
merges without a limit. Its C composer crashes on deep nesting. Here plain scalars follow YAML 1.2 (section 10.3), and
keys are always text. Depth, nodes, aliases and merges are counted as events arrive, before anything large exists.

Merge keys (`<<`) belong to YAML 1.1, but API documents use them. Explicit keys win, earlier sources win over later
ones, and each copied key is counted.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.jsonvalue import JsonValue, as_list
from mcpgen.read.document import budgets
from mcpgen.read.document.budgets import too_many_nodes
from mcpgen.read.document.outline import LEVELS, Outline, Path

_TOO_DEEP = f"The YAML text nests deeper than {budgets.DEPTH} levels."
_ALLOWED = "\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff"
_PRINTABLE, _NOT_PRINTABLE = re.compile(f"[{_ALLOWED}]*+"), re.compile(f"[^{_ALLOWED}]")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_WORDS: dict[str, JsonValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MEANINGFUL = frozenset("0123456789.+-") | {word[:1] for word in _WORDS}
"""First characters of plain scalars that may be a number, a boolean or null. All other plain scalars are text."""

_CORE = "tag:yaml.org,2002:"
_MERGE = object()


def events(text: str) -> Callable[[], yaml.Event | None]:
    """Return a function that returns the next parser event of `text`, or None at the end. Uses libyaml if available."""
    loader = yaml.CSafeLoader(text) if yaml.__with_libyaml__ else yaml.SafeLoader(text)
    return loader.get_event


def printable(text: str) -> str:
    """Return `text` without the characters that YAML does not allow (section 5.1)."""
    # Search first, which takes half the time of a substitution: few texts need a substitution.
    return text if _PRINTABLE.fullmatch(text) else _NOT_PRINTABLE.sub("", text)


def place(event: yaml.Event) -> tuple[int, int]:
    """Return line and column, counted from 1, at which `event` begins."""
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


@dataclass(frozen=True, slots=True)
class Composed:
    """The value of a text, the positions of keys in its outer LEVELS levels, and the number of all values and keys."""

    value: JsonValue
    outline: Outline
    nodes: int


class _Frame:
    """A collection that is being filled: a sequence (`append`), or a mapping, whose `key` waits for its value.

    If the frame has a `path`, the positions of its mapping's keys are recorded in the text's index (`Outline`).
    """

    __slots__ = ("anchor", "append", "key", "mapping", "merges", "nodes_before", "path", "value")

    def __init__(
        self,
        value: dict[str, JsonValue] | list[JsonValue],
        anchor: str | None,
        nodes_before: int,
        path: Path | None = None,
    ) -> None:
        self.value = value
        self.mapping = value if isinstance(value, dict) else {}
        self.append = value.append if isinstance(value, list) else None
        self.anchor = anchor
        self.nodes_before = nodes_before
        self.path = path
        self.key: object = None
        self.merges: list[JsonValue] = []


class _Composer:
    """Builder of the value of a YAML text from parser events.

    `frame`: the collection that is being filled; `stack`: the collections around it. The outermost frame receives the
    root value. `keys`: one copy of each key, to save memory. `most`: limit on values and keys.
    """

    def __init__(self, text: str, name: str, diagnostics: Diagnostics, most: int) -> None:
        self.name = name
        self.most = most
        self.copied = 0
        self.diagnostics = diagnostics
        self.outline = Outline(text)
        self.stack: list[_Frame] = []
        self.frame = _Frame([], None, 0)
        self.anchors: dict[str, tuple[JsonValue, int]] = {}
        self.open_anchors: set[str] = set()
        self.keys: dict[str, str] = {}
        self.literal = 0
        self.expanded = 0

    @property
    def result(self) -> JsonValue:
        """Return the root value, or None for an empty text."""
        values = as_list(self.frame.value)
        return values[0] if values else None

    def start(self, event: yaml.DocumentStartEvent) -> None:
        if event.tags:  # parsed alone, a piece of the text would lack its %TAG directives: keep no index of pieces
            self.outline.drop()

    # -- handlers of YAML events (large documents have a million, so each handler calls as little as possible) ---------

    def scalar(self, event: yaml.ScalarEvent) -> None:
        self.literal += 1
        if self.literal + self.copied > self.most:
            raise too_many_nodes(self.most, self._where(event))
        frame = self.frame
        text: str = event.value
        if frame.key is None and frame.append is None:
            if text == "<<" or text in frame.mapping or event.anchor:
                self._take_unusual_key(frame, event)
            else:
                frame.key = self.keys.setdefault(text, text)
                if frame.path is not None:
                    self._note(frame.path, text, event)
            return
        if event.tag is not None or not event.implicit[0]:
            value = self._tagged(text, event)
        else:
            value = self._plain(text, event) if text[:1] in _MEANINGFUL else text
        if event.anchor:
            self.anchors[event.anchor] = (value, 1)
        if frame.append is not None:
            frame.append(value)
        elif frame.key is _MERGE:
            self._place(value)
        else:
            frame.mapping[frame.key] = value  # type: ignore[index]
            frame.key = None

    def begin(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        mapping = type(event) is yaml.MappingStartEvent
        if event.tag is not None and event.tag not in ("!", _CORE + ("map" if mapping else "seq")):
            self._ignore_tag(event)
        if self.frame.key is None and self.frame.append is None:
            self._refuse("yaml-key", "A YAML key must be text, not a mapping or list.", event, "Write text as the key.")
        if len(self.stack) >= budgets.DEPTH:
            self._refuse("too-deep", _TOO_DEEP, event, "Flatten the document.")
        self.literal += 1
        if self.literal + self.copied > self.most:
            raise too_many_nodes(self.most, self._where(event))
        path = self._path() if mapping and len(self.stack) < LEVELS and not event.flow_style else None
        self.stack.append(self.frame)
        self.frame = _Frame({} if mapping else [], event.anchor, self.literal + self.expanded, path)
        if event.anchor:
            self.open_anchors.add(event.anchor)

    def end(self, event: yaml.Event) -> None:
        frame, self.frame = self.frame, self.stack.pop()
        if frame.merges:
            self._merge(frame, event)
        if frame.anchor:
            self.anchors[frame.anchor] = (frame.value, self.literal + self.expanded - frame.nodes_before + 1)
            self.open_anchors.discard(frame.anchor)
        self._place(frame.value)

    def alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor in self.open_anchors or event.anchor not in self.anchors:
            self._miss_alias(event)
            return
        value, size = self.anchors[event.anchor]
        self._expand(size, event)
        if self.frame.key is None and self.frame.append is None:
            if not isinstance(value, str):
                self._refuse("yaml-key", f"The key *{event.anchor} is an alias whose value is not a text.", event)
            self.frame.key = value
            return
        self._place(value)

    def _miss_alias(self, event: yaml.AliasEvent) -> None:
        """Read an alias as null if no value before it has its anchor, or if the alias is inside the anchor's own value.
        Raises FatalError if the alias is a key or the value of `<<`.
        """
        inside = event.anchor in self.open_anchors
        message = f"The alias *{event.anchor} {'occurs inside its own value' if inside else 'names nothing above it'}"
        hint = "Write the value out." if inside else "Define the anchor first."
        if self.frame.append is None and not isinstance(self.frame.key, str):
            self._refuse("yaml-key", f"{message}.", event, hint)
        self.diagnostics.add("yaml-alias", f"{message}; it is read as null.", self._where(event), hint)
        self._place(None)

    # -- parts of the event handlers -----------------------------------------------------------------------------------

    def _place(self, value: JsonValue) -> None:
        frame = self.frame
        if frame.append is not None:
            frame.append(value)
        elif frame.key is _MERGE:
            frame.merges.append(value)
            frame.key = None
        else:
            frame.mapping[frame.key] = value  # type: ignore[index]
            frame.key = None

    def _take_unusual_key(self, frame: _Frame, event: yaml.ScalarEvent) -> None:
        key: str = event.value
        if key == "<<" and event.implicit[0]:
            frame.key = _MERGE
            return
        if key in frame.mapping:
            self.diagnostics.add(
                "duplicate-key",
                f"The key {key!r} occurs twice in one object; the last value is used.",
                self._where(event),
                "Remove one of them.",
            )
        frame.key = key
        if event.anchor:
            self.anchors[event.anchor] = (key, 1)
        if frame.path is not None:
            self._note(frame.path, key, event)

    def _path(self) -> Path | None:
        """Return the keys that lead to the mapping that begins now, or None if the mapping's keys are not indexed."""
        frame = self.frame
        if not self.stack:
            return ()
        return (*frame.path, frame.key) if frame.path is not None and isinstance(frame.key, str) else None

    def _note(self, path: Path, key: str, event: yaml.Event) -> None:
        mark = event.start_mark
        if mark is not None:
            self.outline.note((*path, key), mark.index, mark.line, mark.column)

    def _merge(self, frame: _Frame, event: yaml.Event) -> None:
        target = frame.mapping
        for merged in frame.merges:
            for source in merged if isinstance(merged, list) else [merged]:
                if not isinstance(source, dict):
                    self._refuse(
                        "yaml-key", "`<<` merges something that is not a mapping.", event, "Name mappings only."
                    )
                self._expand(len(source) + 1, event)
                self.copied += len(source)  # only the keys are copied: the mappings share the values
                for key, value in source.items():
                    target.setdefault(key, value)

    def _tagged(self, text: str, event: yaml.ScalarEvent) -> JsonValue:
        """Return the value of a scalar that is quoted or has a tag."""
        tag: str | None = event.tag
        if tag in (None, "!", _CORE + "str"):
            return text
        value = self._plain(text, event) if tag.startswith(_CORE) else None
        kinds: dict[str, type | tuple[type, ...]] = {
            "int": int,
            "float": (int, float),
            "bool": bool,
            "null": type(None),
        }
        kind = kinds.get(tag.removeprefix(_CORE))
        if kind is None:
            self._ignore_tag(event)
            return text
        if not isinstance(value, kind):
            message = f"The tag {tag} does not fit its value; the value is read as a text."
            self.diagnostics.add("yaml-tag", message, self._where(event), "Remove the tag, or correct the value.")
            return text
        return value

    def _ignore_tag(self, event: yaml.ScalarEvent | yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        """Report a tag that JSON has no type for. The value is read as if untagged: tags never construct objects."""
        kind = {yaml.ScalarEvent: "a text", yaml.MappingStartEvent: "an object"}.get(type(event), "a list")
        message = f"The tag {event.tag} stands for no JSON type; the tagged value is read as {kind}."
        self.diagnostics.add("yaml-tag", message, self._where(event), "Remove the tag.")

    def _plain(self, text: str, event: yaml.ScalarEvent) -> JsonValue:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "0123456789.+-":
            return text
        if len(text) > budgets.NUMBER_CHARACTERS:
            return text
        if _INTEGER.fullmatch(text):
            return int(text)
        if _OTHER_BASE.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text):
            value = float(text)
            if value not in (float("inf"), float("-inf")):
                return value
            self.diagnostics.add(
                "number", f"The number {text[:40]} cannot be represented; it is read as text.", self._where(event)
            )
        return text

    # -- limits --------------------------------------------------------------------------------------------------------

    def _expand(self, size: int, event: yaml.Event) -> None:
        self.expanded += size
        if self.expanded > budgets.EXPANSION_FREE + budgets.EXPANSION_FACTOR * self.literal:
            self._refuse(
                "too-many-nodes",
                f"Aliases and merges expand the text to more than {budgets.EXPANSION_FACTOR} times its size.",
                event,
                "Use `$ref` instead of aliases.",
            )

    def _refuse(self, code: str, message: str, event: yaml.Event, hint: str = "") -> NoReturn:
        raise FatalError(code, message, self._where(event), hint)

    def _where(self, event: yaml.Event) -> Where:
        return Where(self.name, "", *place(event))


def compose(text: str, name: str, diagnostics: Diagnostics, most_nodes: int | None = None) -> Composed:
    """Return the value of the first YAML document in `text`, and the positions of the keys in its outer LEVELS levels.
    Raises FatalError, with a place, if `text` is invalid or exceeds a budget, such as `most_nodes` values and keys.
    """
    clean = printable(text)
    if len(clean) != len(text):
        diagnostics.add(
            "control-character",
            f"{len(text) - len(clean)} control characters were removed, because YAML does not allow them.",
            Where(name),
        )
    composer = _Composer(clean, name, diagnostics, budgets.NODES if most_nodes is None else most_nodes)
    handlers: dict[type, Callable[[Any], None]] = {
        yaml.ScalarEvent: composer.scalar,
        yaml.MappingStartEvent: composer.begin,
        yaml.SequenceStartEvent: composer.begin,
        yaml.MappingEndEvent: composer.end,
        yaml.SequenceEndEvent: composer.end,
        yaml.AliasEvent: composer.alias,
        yaml.DocumentStartEvent: composer.start,
    }
    next_event = events(clean)
    try:
        while True:
            event = next_event()
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)
            elif event is None or isinstance(event, yaml.DocumentEndEvent):
                _report_more(next_event, name, diagnostics)
                return Composed(composer.result, composer.outline, composer.literal + composer.copied)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.context_mark and "end of stream" in str(error.problem):
            mark = error.context_mark  # position at which the unclosed construct begins
        where = Where(name, "", mark.line + 1, mark.column + 1) if mark else Where(name)
        if "maximum nesting depth" in str(error.problem):  # libyaml reads ahead: its depth limit may be met before ours
            raise FatalError("too-deep", _TOO_DEEP, where, "Flatten the document.") from None
        message = f"The YAML text is invalid from here on: {_reason(error)}."
        raise FatalError("syntax", message, where, _what_to_do(error, clean, mark)) from None
    except yaml.YAMLError:
        raise FatalError(
            "syntax", "The text is neither JSON nor YAML.", Where(name), "Name an API description."
        ) from None


def _report_more(next_event: Callable[[], yaml.Event | None], name: str, diagnostics: Diagnostics) -> None:
    """Report a second document after `---`, which is ignored."""
    try:
        event = next_event()
    except yaml.YAMLError:  # what follows `---` is not valid YAML, so there is no second document
        return
    if isinstance(event, yaml.DocumentStartEvent):
        message = "A second YAML document begins here; only the first is read."
        diagnostics.add("more-documents", message, Where(name, "", *place(event)), "Put this document in its own file.")


def _what_to_do(error: yaml.MarkedYAMLError, text: str, mark: yaml.Mark | None) -> str:
    problem, lines = str(error.problem), text.split("\n")
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "Indent with spaces: YAML does not allow tabs."
    if "mapping values are not allowed" in problem:
        return "Put a text that contains `: ` in quotes, or write `|` and begin the text on the next line."
    is_open = "end of stream" in problem and "quoted scalar" in str(error.context)
    return "Close the quote." if is_open else "Correct the YAML."


def _reason(error: yaml.MarkedYAMLError) -> str:
    return ", ".join(part for part in (error.context, error.problem) if part)
