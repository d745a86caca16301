"""Classify the effect of an operation by the words of its operationId, summary, description and path.

- `reads`: two sources say that the operation reads, none disagrees, and its response confirms it.
- `looks`: the words say that the operation reads, but other facts do not confirm it.
- `adds`: the operation creates, adds, sends or starts something without changing what exists.
- `changes`: the operation alters, replaces or ends what exists.
- `unsaid`: the effect is unknown, for example because no word is on a list.

Sources are the operationId (else the name in the tools file), the summary, the first sentence of the description, and
the last segment of the path. If one source says `changes`, the effect is `changes`. The word lists are in
`effect_words`.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Literal

from mcpgen.base.jsonvalue import JsonObject
from mcpgen.base.names import words
from mcpgen.lower.text.prose import plain, sentences
from mcpgen.model import Operation, Response
from mcpgen.naming import effect_words as known
from mcpgen.naming.operation_ids import without_framework
from mcpgen.naming.verbs import imperative

Effect = Literal["reads", "looks", "adds", "changes", "unsaid"]

_LOOKS = known.READS | known.READS_FIRST | known.COMPUTES
_TAKES = known.CHANGES | known.CHANGES_TOO
_VERBS = known.ADDS | known.ADDS_TOO | known.ADDS_FIRST | _LOOKS | _TAKES
_MOST_REFERENCES = 5
_JOINS = frozenset(["and", "or", "then"])

_OPENING = re.compile(
    r"\A(?:(?:with|for|in) [^,.]{1,40}, )?(?:when |if )?"
    r"(?:to|you can|you|allows (?:you|users|the user) to|use (?:this|the) \w+ to"
    r"|this \w+(?: will| allows you to| lets you)?) (?=[a-z])",
    re.IGNORECASE,
)
"""Pattern of words that precede the verb of a sentence: `To upload a file, …`, `This endpoint creates …`."""

_HYPHEN = re.compile(r"\b(re|un)-(?=[a-z])", re.IGNORECASE)
_ACTION = re.compile(r"[?#&](?:action|operation|x-amz-target)=([\w.]+)", re.IGNORECASE)
_OF_METHOD = re.compile(r"(?:GET|POST)_([A-Z]\w+)")
"""Patterns of the action in the path or operationId of an RPC protocol, such as the AWS Query protocol."""

_OVERWRITES = re.compile(
    r"(?<!not )(?<!never )\b(?:overwrit(?:es?|ten)|(?:clear|delete|remove|replace)s? (?:all |any |the )?existing)\b",
    re.IGNORECASE,
)
"""Pattern of a warning in the description that the operation may remove or overwrite existing data."""


# In doubt, a POST is destructive: a wrong hint can cost data, or else only a question to the user
# (docs/decisions/compiling.md).
def of_post(operation: Operation, definitions: Mapping[str, JsonObject]) -> Effect:
    """Return the effect of a POST: `changes` if its path ends in a variable, which identifies an existing item, unless
    both the operationId and the texts say that the operation reads.

    For other paths, the words of the operation decide. For `reads`, the response must also have content.
    `definitions`: the schemas to which responses refer.
    """
    segments = _segments(operation.path)
    identified = _of_id(_id_words(operation))
    text = gravest(map(_of_sentence, _first_sentences(operation)))
    if identified == "reads" and text == "unsaid" and _loads(operation):
        text = "reads"
    found = [identified, text, _of_segment(segments)]
    said = gravest(found)
    if segments and segments[-1].endswith("}") and not identified == text == "reads":
        return "changes"
    if said == "changes" or _OVERWRITES.search(plain(operation.description)):
        return "changes"
    if said == "reads":
        return _of_reader(operation, found.count("reads") > 1, text, definitions)
    return said


def _of_reader(operation: Operation, agree: bool, text: Effect, definitions: Mapping[str, JsonObject]) -> Effect:
    """Return the effect of a POST that reads according to at least one source: `reads`, `looks`, `adds` or `unsaid`.

    The module's docstring explains sources and effects. `agree`: True if more than one source says that the operation
    reads. `text`: the effect according to the summary and the description.
    """
    is_told = bool(operation.summary or operation.description)
    if _takes_program(operation) or (text == "unsaid" and is_told):
        return "unsaid"
    if _hands_out(operation):
        return "adds"
    return "reads" if agree and _answers_with_content(operation, definitions) else "looks"


def gravest(effects: Iterable[Effect]) -> Effect:
    """Return the effect that requires most caution: `changes`, else `adds`, else `reads`, else `unsaid` (unknown)."""
    found = set(effects)
    order: tuple[Effect, ...] = ("changes", "adds", "reads")
    return next((effect for effect in order if effect in found), "unsaid")


def acts(operation: Operation) -> bool:
    """Return True if an operation whose method only reads, such as GET, changes something according to its words: `GET
    /sessions/logout`.
    """
    segments = _segments(operation.path)
    if action := _action(operation):  # the protocol sends every action by every method, so the method says nothing
        return _of_id(action) != "reads"
    identified = _verb_of_id(_id_words(operation))
    # a description often tells of all methods of a path, so it only counts if nothing else tells of this one
    summary = operation.summary or (identified and next(iter(_first_sentences(operation)), ""))
    told = _verbs_of_summary(summary)
    verbs = {*told} if _is_told_to_read(summary) else {identified, *told, *_verbs_of_segment(segments)}
    return bool(
        verbs - known.ENDINGS & (known.CHANGES | known.ADDS | known.DESTROYS | known.AT_THE_END | known.SWITCHES)
    )


def _action(operation: Operation) -> list[str]:
    """Return the words of the action that an RPC protocol names: in the fragment or query of the path
    (`#Action=RunInstances`), or after the method in the operationId (`GET_RunInstances`). Return [] if there is none.
    """
    named = _ACTION.search(operation.path) or _OF_METHOD.match(operation.id or "")
    return words(named[1].rpartition(".")[2]) if named else []


def _is_told_to_read(summary: str) -> bool:
    """Return True if a summary begins with a verb that gets data, and no verb of ending follows (`Get logout`)."""
    found = words(summary)
    return bool(found[1:]) and imperative(found[0], _VERBS) in known.FETCHES and found[1] not in known.SWITCHES


def _loads(operation: Operation) -> bool:
    """Return True if the first sentence begins with `load`, which also reads if the operationId says so."""
    found = [word for sentence in _first_sentences(operation)[:1] for word in words(sentence)[:1]]
    return bool(found) and imperative(found[0], frozenset(["load"])) == "load"


def _verb_of_id(found: list[str]) -> str:
    """Return the verb of an operationId: the first word that can only be a verb, else the last word (`dialog_open`).

    Return "" if this verb, or the last word, means reading, such as `list`.
    """
    if not found or found[-1] in _LOOKS:  # the last word means reading, as in `inviteRequests_list`
        return ""
    sure = [word for word in found if word in _LOOKS | known.GETS | known.CHANGES | known.ADDS]
    verb = sure[0] if sure else found[-1]
    return "" if verb in _LOOKS | known.GETS else verb


def _verbs_of_summary(summary: str) -> list[str]:
    """Return the verbs of a summary that change or add something: its first word if it is such a verb, and each verb of
    removal after `and` (`delete` in `Search and delete`).
    """
    found = [imperative(word, _VERBS) for word in words(summary)]
    first = [word for word in found[:1] if word in known.CHANGES | known.ADDS and word not in known.GETS]
    return [*first, *(word for before, word in pairwise(found) if before == "and" and word in known.ENDS)]


def _verbs_of_segment(segments: list[str]) -> list[str]:
    """Return the first and the last word of the last path segment, as far as they are verbs in `known.SWITCHES`.

    Return [] if the segment contains a variable, or if its last word ends with `s`, as plural nouns do.
    """
    found = words(segments[-1]) if segments else []
    is_thing = not found or "{" in segments[-1] or found[-1].endswith("s")
    return [] if is_thing else [word for word in (found[0], found[-1]) if word in known.SWITCHES]


# -- Words of the operationId, first sentences of the texts, and segments of the path ----------------------------------


def _id_words(operation: Operation) -> list[str]:
    """Return the words of the operationId, without leading or trailing words `post`, and without its group (`repos` in
    `repos/create-fork`), unless the group is a verb of reading and no other verb follows.

    If an RPC protocol names an action, return the words of the action.
    """
    if action := _action(operation):
        return action
    identifier = without_framework(operation.id, operation) if operation.id else operation.decided.name or ""
    *groups, own = re.split(r"[/.:]|_(?=[a-z]+[A-Z])", _HYPHEN.sub(r"\1", identifier.strip("/.:")))
    found = words(own)
    if groups and words(groups[-1])[-1:] and words(groups[-1])[-1] in known.READS and not _VERBS & set(found):
        found = [words(groups[-1])[-1], *found]  # the group is the verb, as in `search.nearText`
    while len(found) > 1 and "post" in (found[0], found[-1]):
        found = found[1:] if found[0] == "post" else found[:-1]
    return found


def _first_sentences(operation: Operation) -> list[str]:
    """Return the first sentence of the summary and of the description, as plain text."""
    texts = (plain(text).partition("\n\n")[0] for text in (operation.summary, operation.description))
    return [sentences(text)[0] for text in texts if text]


def _segments(path: str) -> list[str]:
    """Return the segments of a path.

    A fragment (`#x`, `#Action=x`) counts as the last segment; a custom verb (`/items:trim`) replaces its segment.
    """
    path, _, fragment = path.partition("#")
    fragment = fragment.rpartition("=")[2]
    found = [segment for segment in path.partition("?")[0].split("/") if segment]
    found += [fragment] if fragment else []
    return [*found[:-1], re.split(r"[.:](?!.*})", found[-1])[-1]] if found else []


# -- Effect (read, add or change) that an operationId, a sentence or a path segment states -----------------------------


def _of_id(found: list[str]) -> Effect:
    """Return `reads`, `adds`, `changes` or `unsaid` for `found`, the words of an operationId.

    The verb may be the first or the last word (`list_users`, `users_list`). A word between them counts only if it is in
    CREATES or CHANGES, or follows `and`, `or` or `then`.
    """
    if not found:
        return "unsaid"
    created = next((at for at, word in enumerate(found) if word in known.CREATES), 0)
    if not set(found[:created]) & _VERBS:  # an object may precede the verb, as in `repo_create_release`
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
    """Return `reads`, `adds`, `changes` or `unsaid` (unknown) for a sentence, by its verb, and by further verbs after
    `and`, `or`, `then` and `to`. A word in `known.ENDS`, such as `delete`, counts at any position.
    """
    found = _without_manners(words(_HYPHEN.sub(r"\1", _OPENING.sub("", sentence, count=1))))
    if not found:
        return "unsaid"
    verbs = [_without_ing(found[0]), *(imperative(word, _VERBS) for word in found[1:])]
    joined = {verb for before, verb in pairwise(verbs) if before in _JOINS}
    aims = {verb for before, verb in pairwise(verbs) if before == "to"}
    if verbs[0] in _LOOKS:
        joined -= known.GETS  # `Fetch and resolve`
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
    """Return `reads`, `adds`, `changes` or `unsaid` (unknown) for the words of the last path segment.

    A word in `known.ENDS`, such as `delete`, means `changes` at any position, and so does a last word in
    `known.ANYTHING`. Any other segment of several words that ends in a plural noun, such as `order-items`, is `unsaid`,
    unless it begins with a verb of `known.CREATES` or `known.READS`.
    """
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
    """Return the imperative of the first word of a sentence, for forms such as `Creates`, `Creating` and `Setting`."""
    stem = word.removesuffix("ing")
    forms = (imperative(word, _VERBS), stem, f"{stem}e", stem[:-1])
    return next((form for form in forms if form in _VERBS), word)


def _without_manners(found: list[str]) -> list[str]:
    """Return the words without adverbs before the verb (`bulk create`, `privately report`). The last word always
    stays.
    """
    while len(found) > 1 and found[0] not in _VERBS and (found[0] in known.MANNERS or found[0].endswith("ly")):
        found = found[1:]
    return found


# -- Response and request body -----------------------------------------------------------------------------------------


def _answers_with_content(operation: Operation, definitions: Mapping[str, JsonObject]) -> bool:
    """Return True if a successful response has status 200 and content, or status 201 and a list.

    Operations that create or accept something mostly return 201, 202 or 204; what they create is one object.
    """
    good = [response for response in operation.responses if response.status[:1] == "2"]
    return bool(good) and all(
        bool(each.content)
        and (each.status.upper() in ("200", "2XX") or (each.status == "201" and _is_list(each, definitions)))
        for each in good
    )


def _is_list(response: Response, definitions: Mapping[str, JsonObject]) -> bool:
    schemas = [each.schema or {} for each in response.content]
    for _ in range(_MOST_REFERENCES):
        schemas = [definitions.get(str(each["$ref"]), {}) if "$ref" in each else each for each in schemas]
    return all(each.get("type") == "array" for each in schemas)


def _hands_out(operation: Operation) -> bool:
    """Return True if the operation's id or first sentence asks for something that is usually made anew for each
    request, such as a token.
    """
    said = {word for sentence in _first_sentences(operation)[:1] for word in words(sentence)}
    said |= set(_id_words(operation))
    return bool(said & known.ASKS_FOR and said & known.HANDED_OUT)


def _takes_program(operation: Operation) -> bool:
    """Return True if the request contains a program that may write, such as a query in SQL."""
    texts = [*_first_sentences(operation), operation.path, operation.id or operation.decided.name or ""]
    return any(known.PROGRAMS & set(words(text)) for text in texts)
