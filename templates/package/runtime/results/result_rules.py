# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Apply a tool's `result` rules, which the server's owner has written, to a response: decide whether the call has
failed, remove and select parts, add texts, blocks and links.

Parts are removed before any other code reads the response. The response's original bytes, header fields and reason
phrase are dropped as well, so that no later step can show, store or log them. Parts cannot be removed reliably from a
response that is not JSON, too large or incomplete. Such a response is not shown at all.

If a rule shows parts that a response does not have, the response itself is shown, because it may say why. Pure
functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.wire_formats import ABSENT, Result
from ..pointers.conditions import has_failed, states_error
from ..pointers.drop_fields import without
from ..pointers.pointers import find
from ..result import failures, projection, response
from ..result.page_arguments import narrower
from ..text.sanitize import brief, decode
from .owner_texts import OwnerTexts, short_links

if TYPE_CHECKING:
    from ..core.wire_formats import Block
    from ..http.exchange import Response, Sent
    from ..tables import table
    from ..tables.table import ShownText
    from ..text.redaction import Redactor
    from .blocks import BlockMaker

_KEPT_FIELDS = ("retry-after", "date")
"""Header fields that are kept after parts were removed. Only numbers and dates are read from them."""

LARGEST_FLAT = 8 * 1024 * 1024
"""Maximum bytes of JSON with few members that is parsed for blocks, such as an object with an image in base64."""

_FEW = 20_000
"""Maximum number of structural characters in JSON that counts as having few members."""

_LONGEST_FIELD = 200
"""Characters of a header field that are told."""

_CUT = "it did not come whole"
_LARGE = "it is too large to be looked through"
_NO_JSON = "it is no JSON"


# The API has executed the call, so an unnecessary error would make a model repeat it (docs/decisions/results.md).
class ResultRules:
    """Application of a tool's `result` rules to one call.

    Call `take` first, which removes and selects parts of the response and notes its header fields. Then `dressed` adds
    texts, blocks and links to the result.

    `_failed`: True if the response means that the call has failed. `_told`: its header fields, as the result tells
    them. `_missed`: the pointers of `text` or `select`, if the response has none of these parts.
    """

    __slots__ = ("_failed", "_mark", "_missed", "_rules", "_told", "_value")

    def __init__(self, rules: table.View) -> None:
        """Create the rules from `rules`, the `result` member of the tool's entry in `bindings.json`."""
        self._rules = rules
        self._value: Any = ABSENT
        self._mark = ""
        self._failed = False
        self._missed: list[str] = []
        self._told: list[str] = []

    def take(self, answer: Response, sent: Sent, shown: int) -> Result | None:
        """Apply the rules `failed`, `remove` and `select` to the response, in place.

        Return None if the response may be shown, else a result that says why it is not shown.
        """
        good = 200 <= answer.status < 300
        for wanted in self._rules.get("headers", ()):
            if values := [value for name, value in answer.fields if name.lower() == wanted.lower()]:
                self._told.append(f"{wanted}: {brief(', '.join(values), _LONGEST_FIELD)}")
        if not answer.size or not (good or "remove" in self._rules):
            why = ""
        elif why := self._read(answer, shown):
            self._value = ABSENT
        self._failed = good and has_failed(self._rules, answer.status, self._value, self._mark)
        if "remove" in self._rules and (refusal := self._removed(answer, sent, why)) is not None:
            return refusal
        sent.answer = self._value
        refusal = self._selected(answer, sent, why) if good and answer.size and not self._failed else None
        if self._failed or self._missed:
            sent.fields = ""  # the call selects members of another response than this one
        return refusal

    def _read(self, answer: Response, shown: int) -> str:
        """Parse the response into `_value`. Return "", or the reason why the response cannot be parsed."""
        if answer.cut:
            return _CUT
        if answer.partial or not (answer.size <= max(response.LARGEST_PARSED, 2 * shown) or self._is_flat(answer)):
            return _LARGE
        text, whole = decode(answer.content, answer.header("content-type"))
        self._mark = projection.mark(text)
        self._value, _ = response.read_json(text, self._mark)
        return "" if whole and self._value is not ABSENT else _NO_JSON

    def _is_flat(self, answer: Response) -> bool:
        """Return True if a large response may be parsed: the tool has the result rule `blocks` (content blocks), and
        the JSON text has few structural characters.
        """
        if "blocks" not in self._rules or answer.size > LARGEST_FLAT:
            return False
        return sum(map(answer.content.count, (b'"', b",", b"[", b"{", b"\\"))) <= _FEW

    def _removed(self, answer: Response, sent: Sent, why: str) -> Result | None:
        """Remove the parts that must not leave this server, and everything else that could repeat them.

        Return an error result if a successful response cannot be shown, else None. If the response cannot be parsed,
        only its status is kept.
        """
        there = bool(answer.size)
        _discard(answer)
        answer.content, answer.cut, answer.reason = b"", False, ""
        answer.fields = [(name, value) for name, value in answer.fields if name.lower() in _KEPT_FIELDS]
        if self._value is not ABSENT:
            self._value = without(self._value, self._rules["remove"])
        if self._value is not ABSENT:
            self._write(answer, self._value)
            return None
        return _not_shown(answer, sent, why) if there and 200 <= answer.status < 300 else None

    def _write(self, answer: Response, value: Any) -> None:
        """Replace the content of the response by the JSON text of `value`."""
        _discard(answer)
        answer.content = projection.exact(value, self._mark).encode(errors="replace")
        others = [(name, field) for name, field in answer.fields if name.lower() != "content-type"]
        answer.fields = [*others, ("Content-Type", "application/json")]

    def _selected(self, answer: Response, sent: Sent, why: str) -> Result | None:
        """Reduce the response to the parts that the rule `select` names, if the tool has this rule and the response has
        these parts.

        Return None, or a result that says why the response cannot be searched: `why`, "" if it was parsed.
        """
        select = self._rules.get("select")
        wanted = [] if select is None else [select] if isinstance(select, str) else [*select.values()]
        if wanted and why in (_CUT, _LARGE):
            _discard(answer)
            advice = narrower(sent.tool) if why is _LARGE else ""
            told = f"Of the answer only {' and '.join(wanted)} is shown, and nothing can be taken from it, since {why}."
            return Result.text(f"{told} {advice}".rstrip())
        holes, found = self._holes()
        if holes and not found:
            self._missed = holes
        elif select is not None:
            value = self._chosen(select)
            if value is not ABSENT and not (value is None and states_error(self._value)):
                self._write(answer, value)
            elif "text" not in self._rules:
                self._missed = wanted
        self._failed = bool(self._missed) and states_error(self._value)
        return None

    def _chosen(self, select: str | dict[str, str]) -> Any:
        """Return the part that the rule `select` names, or an object of the parts; ABSENT if there are none."""
        if isinstance(select, str):
            return find(self._value, select)
        parts = {name: find(self._value, pointer) for name, pointer in select.items()}
        return {name: part for name, part in parts.items() if part is not ABSENT} or ABSENT

    def _holes(self) -> tuple[list[str], bool]:
        """Return the pointers of the rule `text` to parts that the response does not have, or that are null, and
        whether the response has any other part of the text.
        """
        if self._value is ABSENT:
            return [], False
        pointers = [
            each["pointer"] for each in self._rules.get("text", ()) if isinstance(each, dict) and "pointer" in each
        ]
        holes = [pointer for pointer in dict.fromkeys(pointers) if find(self._value, pointer) in (ABSENT, None)]
        return holes, len(holes) < len({*pointers})

    def dressed(self, result: Result, answer: Response, sent: Sent, redactor: Redactor, shown: int) -> Result:
        """Return the result with the texts, blocks and links that the `result` rules add, or an error result if the
        response means that the call has failed.

        The rule `text` replaces the content blocks that show the response. Structured content stays.
        """
        if self._failed:
            return Result.error(failures.stated(str(result), answer, sent))
        owner = OwnerTexts(self._value, self._mark, sent.arguments, redactor)
        links = [owner.link(link) for link in self._rules.get("links", ())]
        parts = self._rules.get("text")
        if self._missed:
            _note(result, f"The answer has no {' and no '.join(self._missed)}, so it is shown itself.")
        elif parts is not None and self._fills(parts, result):
            result.content = response.told(owner.text(parts), sum(owner.unseen.values()), answer, sent, shown)
            if holes := self._holes()[0]:
                _note(result, f"Missing in the answer, and in the text: {', '.join(holes)}.")
        if self._told:
            _note(result, f"Header fields of the answer: {'; '.join(self._told)}.")
        if errors := self._errors(owner, answer, sent):
            _note(result, f"The answer is partial, and has errors: {errors}")
        if "blocks" in self._rules:
            from .blocks import BlockMaker  # imported late: few tools declare `result.blocks`

            maker = BlockMaker(owner, result.content, redactor, shown)
            for each in self._rules["blocks"]:
                maker.add(each)
            result.content = self._with_notes(maker, result.content, owner, answer, sent)
        fit, told = short_links([link for link in links if link is not None])
        result.content += [*fit, {"type": "text", "text": "\n".join(told)}] if told else fit
        return result

    def _errors(self, owner: OwnerTexts, answer: Response, sent: Sent) -> str:
        """Return the errors of a partial response of GraphQL; "" if there are none, or the result shows them anyway."""
        narrowed = sent.fields or answer.kept or any(key in self._rules for key in ("select", "text", "blocks"))
        errors = owner.find({"pointer": "/errors"}) if "graphql" in self._rules and narrowed else None
        if not errors or errors is ABSENT:
            return ""
        return brief(projection.exact(errors, self._mark), failures.LONGEST_EXCERPT)

    def _with_notes(
        self, maker: BlockMaker, usual: list[Block], owner: OwnerTexts, answer: Response, sent: Sent
    ) -> list[Block]:
        """Return the blocks that were created, or the usual content if there are none, with notes on blocks that could
        not be created.
        """
        notes: list[Block] = [{"type": "text", "text": "\n".join(maker.notes)}] if maker.notes else []
        if not maker.content:
            return usual + notes
        if any("answer" in each for each in self._rules["blocks"]):
            # An entry `answer` of `result.blocks` inserts `usual`, which already has the notes on the response.
            return maker.content + notes
        return maker.content + response.beside(sum(owner.unseen.values()), answer, sent) + notes

    def _fills(self, parts: ShownText, result: Result) -> bool:
        """Return whether the text in the `result` rules can replace the response.

        A text that contains parts of the response needs a JSON response.
        """
        speaks = any(isinstance(part, dict) and "pointer" in part for part in parts)
        return self._value is not ABSENT or (not speaks and all(block["type"] == "text" for block in result.content))


def _note(result: Result, text: str) -> None:
    """Add a note to a result: to its content, and to its structured value if it has one."""
    result.content.append({"type": "text", "text": text})
    if isinstance(result.structured, dict):
        texts = filter(None, (result.structured.get(response.TEXT), text))
        result.structured, result.written = {**result.structured, response.TEXT: "\n".join(map(str, texts))}, ""


def _discard(answer: Response) -> None:
    """Release the spool that holds the content of the response."""
    if answer.spool is not None:
        answer.spool.close()
        answer.spool = None


def _not_shown(answer: Response, sent: Sent, why: str) -> Result:
    """Return the error result that replaces a successful response of which nothing may be shown.

    `why`: reason why the parts that must be hidden cannot be removed; "" if these parts are the whole response.
    """
    told = failures.answered(answer, sent)
    if not why:
        return Result.error(f"{told} Nothing of the answer may be shown.")
    advice = "Tell the operator of this server." if why is _NO_JSON else narrower(sent.tool) or "Ask for less."
    since = f"since {why}, and what must not leave this server cannot be taken out of it"
    return Result.error(f"{told} The answer is not shown, {since}. {advice}")
