"""What an operation does, by its words.

- `reads`: two sources say so, none says otherwise, and the answer fits.
- `looks`: the words say that it reads, but not all that is known agrees.
- `adds`: it creates, adds, sends or starts something, and what is there stays as it is.
- `changes`: what is there is altered, replaced or ended.
- `unsaid`: no word can be judged.

Sources are the operationId (or a name that somebody wrote), the summary, the first sentence of the description, and the
last segment of the path. One that says "changes" outweighs the others. The words are data: `effect_words`.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from mcpgen.base.names import words
from mcpgen.lower.text.prose import plain, sentences
from mcpgen.model import Operation
from mcpgen.naming import effect_words as known
from mcpgen.naming.operation_ids import without_framework
from mcpgen.naming.verbs import imperative

Effect = Literal["reads", "looks", "adds", "changes", "unsaid"]

_LOOKS = known.READS | known.READS_FIRST | known.COMPUTES
_TAKES = known.CHANGES | known.CHANGES_TOO
_VERBS = known.ADDS | known.ADDS_TOO | known.ADDS_FIRST | _LOOKS | _TAKES
_JOINS = frozenset(["and", "or", "then"])

_OPENING = re.compile(
    r"\A(?:(?:with|for|in) [^,.]{1,40}, )?(?:when |if )?"
    r"(?:to|you can|you|allows (?:you|users|the user) to|use (?:this|the) \w+ to"
    r"|this \w+(?: will| allows you to| lets you)?) (?=[a-z])",
    re.IGNORECASE,
)
"""How a sentence begins of which a verb follows: `To upload a file, …`, `This endpoint creates …`."""

_HYPHEN = re.compile(r"\b(re|un)-(?=[a-z])", re.IGNORECASE)
_OVERWRITES = re.compile(
    r"(?<!not )(?<!never )\b(?:overwrit(?:es?|ten)|(?:clear|delete|remove|replace)s? (?:all |any |the )?existing)\b",
    re.IGNORECASE,
)
"""A warning anywhere in a description: a call that adds something may take another thing away."""


def of_post(operation: Operation) -> Effect:
    """Return what a POST does. A path that ends in a variable names an item, and what is there changes."""
    segments = _segments(operation.path)
    text = gravest(map(_of_sentence, _first_sentences(operation)))
    found = [_of_id(_id_words(operation)), text, _of_segment(segments)]
    said = gravest(found)
    if segments and segments[-1].endswith("}"):
        return "changes"
    if said == "changes" or _OVERWRITES.search(plain(operation.description)):
        return "changes"
    if said == "reads":
        return _of_reader(operation, found.count("reads") > 1, text)
    return said


def _of_reader(operation: Operation, agree: bool, text: Effect) -> Effect:
    """Return what a POST does of which words say that it reads, some or all of them (`agree`)."""
    is_told = bool(operation.summary or operation.description)
    if _takes_program(operation) or (text == "unsaid" and is_told):
        return "unsaid"
    if _hands_out(operation):
        return "adds"
    return "reads" if agree and _answers_with_content(operation) else "looks"


def gravest(effects: Iterable[Effect]) -> Effect:
    """Return that of `effects` which asks for most caution; `unsaid` only where there is no other."""
    found = set(effects)
    order: tuple[Effect, ...] = ("changes", "adds", "reads")
    return next((effect for effect in order if effect in found), "unsaid")


def acts(operation: Operation) -> bool:
    """Whether the words of a method that only reads say that something changes: `GET /sessions/logout`."""
    segments = _segments(operation.path)
    verbs = {_verb_of_id(_id_words(operation)), *_verbs_of_summary(operation.summary), *_verbs_of_segment(segments)}
    return bool(
        verbs - known.ENDINGS & (known.CHANGES | known.ADDS | known.DESTROYS | known.AT_THE_END | known.SWITCHES)
    )


def _verb_of_id(found: list[str]) -> str:
    """Return the first word that can only be a verb. Without one return the last, as in `dialog_open`."""
    if not found or found[-1] in _LOOKS:  # `inviteRequests_list`
        return ""
    sure = [word for word in found if word in _LOOKS | known.GETS | known.CHANGES | known.ADDS]
    verb = sure[0] if sure else found[-1]
    return "" if verb in _LOOKS | known.GETS else verb


def _verbs_of_summary(summary: str) -> list[str]:
    """Return the first word as an imperative, and what ends something behind an `and`: `Search and delete`."""
    found = [imperative(word, _VERBS) for word in words(summary)]
    first = [word for word in found[:1] if word in known.CHANGES | known.ADDS and word not in known.GETS]
    return [*first, *(word for before, word in pairwise(found) if before == "and" and word in known.ENDS)]


def _verbs_of_segment(segments: list[str]) -> list[str]:
    """Return the words of an action, which is no plural behind another word."""
    found = words(segments[-1]) if segments else []
    is_thing = not found or "{" in segments[-1] or found[-1].endswith("s")
    return [] if is_thing else [word for word in (found[0], found[-1]) if word in known.SWITCHES]


# -- the sources ------------------------------------------------------------------------------------------------------


def _id_words(operation: Operation) -> list[str]:
    """Return the words of the id behind its group (`repos/create-fork`, `calls_endAll`), without `post` around it."""
    identifier = without_framework(operation.id, operation) if operation.id else operation.decided.name or ""
    found = words(_HYPHEN.sub(r"\1", re.split(r"[/.:]|_(?=[a-z]+[A-Z])", identifier.strip("/.:"))[-1]))
    while len(found) > 1 and "post" in (found[0], found[-1]):
        found = found[1:] if found[0] == "post" else found[:-1]
    return found


def _first_sentences(operation: Operation) -> list[str]:
    """Return the first sentence of the summary and of the description, as plain text."""
    texts = (plain(text).partition("\n\n")[0] for text in (operation.summary, operation.description))
    return [sentences(text)[0] for text in texts if text]


def _segments(path: str) -> list[str]:
    """Return the segments of a path. A fragment is a last one; a custom verb (`/items:trim`) stands for its segment."""
    path, _, fragment = path.partition("#")
    found = [segment for segment in path.partition("?")[0].split("/") if segment]
    found += [fragment] if fragment else []
    return [*found[:-1], re.split(r"[.:](?!.*})", found[-1])[-1]] if found else []


# -- what each of them says -------------------------------------------------------------------------------------------


def _of_id(found: list[str]) -> Effect:
    """Return what an id says by its first and last word; where these say nothing, by a sure verb within."""
    if not found:
        return "unsaid"
    created = next((at for at, word in enumerate(found) if word in known.CREATES), 0)
    if not set(found[:created]) & _VERBS:  # `repo_create_release`
        found = found[created:]
    first, last = _without_manners(found)[0], found[-1]
    joined = {word for before, word in pairwise(found) if before in _JOINS}
    if known.ENDS & set(found) or joined & _TAKES:
        return "changes"
    if first in known.CREATES or (last in known.CREATES and not known.CHANGES & set(found)):
        return "adds"
    if first in _LOOKS:
        return "adds" if joined & known.ADDS else "reads"
    if known.CHANGES & set(found) or {first, last} & known.CHANGES_TOO:
        return "changes"
    if {first, last} & known.ADDS:
        return "adds"
    return "reads" if last in known.READS | known.COMPUTES else "unsaid"


def _of_sentence(sentence: str) -> Effect:
    """Return what a sentence says by its verb, and by further verbs behind `and`, `or`, `then` and `to`."""
    found = _without_manners(words(_HYPHEN.sub(r"\1", _OPENING.sub("", sentence, count=1))))
    if not found:
        return "unsaid"
    verbs = [_without_ing(found[0]), *(imperative(word, _VERBS) for word in found[1:])]
    joined = {verb for before, verb in pairwise(verbs) if before in _JOINS}
    aims = {verb for before, verb in pairwise(verbs) if before == "to"}
    if verbs[0] in _TAKES or known.ENDS & set(verbs) or (joined | aims) & (known.CHANGES - known.NO_AIMS):
        return "changes"
    if verbs[0] in known.ADDS | known.ADDS_FIRST or (
        verbs[0] in known.ADDS_TOO and found[1:2] and found[1] in known.DETERMINERS
    ):
        return "adds"
    if verbs[0] not in _LOOKS or (found[1:2] and found[1] in known.PARTICLES):
        return "unsaid"
    return "adds" if joined & known.ADDS else "reads"


def _of_segment(segments: list[str]) -> Effect:
    """Return what the last segment says, where it is an action. A plural behind another word is a thing."""
    found = words(segments[-1]) if segments else []
    if not found:
        return "unsaid"
    if known.ENDS & set(found) or found[-1] in known.ANYTHING:
        return "changes"
    if len(found) > 1 and found[-1].endswith("s") and found[0] not in known.CREATES | known.READS:
        return "unsaid"
    if found[0] in known.CHANGES or (len(found) == 1 and found[0] in known.CHANGES_TOO):
        return "changes"
    if found[0] in known.ADDS or (len(found) == 1 and found[0] in known.ADDS_TOO):
        return "adds"
    if {found[0], found[-1]} & known.COMPUTES:
        return "changes" if len(segments) > 1 and segments[-2].endswith("}") else "reads"
    return "reads" if {found[0], found[-1]} & (known.READS | known.FILTERS) else "unsaid"


def _without_ing(word: str) -> str:
    """Return the imperative of the first word of a sentence: `Creates`, `Creating` and `Setting` as well."""
    stem = word.removesuffix("ing")
    forms = (imperative(word, _VERBS), stem, f"{stem}e", stem[:-1])
    return next((form for form in forms if form in _VERBS), word)


def _without_manners(found: list[str]) -> list[str]:
    """Return the words from the verb on: `bulk create`, `privately report`. The last word stays in any case."""
    while len(found) > 1 and found[0] not in _VERBS and (found[0] in known.MANNERS or found[0].endswith("ly")):
        found = found[1:]
    return found


# -- the answer -------------------------------------------------------------------------------------------------------


def _answers_with_content(operation: Operation) -> bool:
    """Whether success is 200 with content: who creates or accepts something says 201, 202 or 204."""
    good = [response for response in operation.responses if response.status[:1] == "2"]
    return bool(good) and all(each.status.upper() in ("200", "2XX") and each.content for each in good)


def _hands_out(operation: Operation) -> bool:
    """Whether it asks for a thing that comes into being by that, such as a token."""
    said = {word for sentence in _first_sentences(operation)[:1] for word in words(sentence)}
    said |= set(_id_words(operation))
    return bool(said & known.ASKS_FOR and said & known.HANDED_OUT)


def _takes_program(operation: Operation) -> bool:
    """Whether what it is asked is a program, which may write: a query in SQL."""
    texts = [*_first_sentences(operation), operation.path, operation.id or operation.decided.name or ""]
    return any(known.PROGRAMS & set(words(text)) for text in texts)
