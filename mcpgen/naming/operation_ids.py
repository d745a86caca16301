"""Derive the words of a tool name from an operationId, without parts that web frameworks add, such as `UsingPOST`.

The HTTP methods `post`, `put` and `patch` are left out or replaced by a verb. The words keep the order that the API's
author chose, because the API's own documentation shows it. An operationId that only repeats method and path yields no
words, because the path gives a better name.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from mcpgen.base.names import words
from mcpgen.model import Operation
from mcpgen.naming import verbs
from mcpgen.naming.verbs import PREFIX_SEGMENT, singular

AMOUNTS = frozenset(["all", "many", "one"])
"""Words after the verb of an id that name no thing: `findAll`."""

_ACT = re.compile(r"[#?&](?:action|operation|[\w-]*target)=(?:[\w-]+\.)*(\w+)", re.IGNORECASE)
"""Pattern of the id in path keys of Amazon's protocols: `/#Action=RunInstances`, `/#X-Amz-Target=Rules.DeleteRule`."""

_MOST_SEGMENTS, _LONGEST_ID = 50, 1000
"""Longest path (in segments) and operationId (in characters) from which the parts of frameworks are removed.

The search takes quadratic time in both, and no framework generates longer ones.
"""

METHODS = frozenset(["get", "put", "post", "delete", "options", "head", "patch", "query"])
_UNSPEAKING = frozenset(["post", "put", "patch"])
"""HTTP methods that are not the usual English verb for their effect."""

_SPEAKING = verbs.SURE | {"describe", "download", "fetch", "find", "query", "replace", "search", "upload", "watch"}
"""Verbs that are hardly ever nouns. An operationId with such a verb already says what the operation does."""

_FRAMEWORK = re.compile(r"Using(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)(?:_\d+)?$")
_COUNTER = re.compile(r"(?<=[A-Za-z])_(\d{1,2})$")
_KIND = re.compile(r"(?<=[a-z])(?:_?(?:Method|Endpoint|Handler)|_(?:endpoint|handler))$")
"""Ending that says what the operationId names, and nothing of the operation: `DeleteThreadMethod`."""

_JOINED = re.compile(r"(?<=[A-Z]{2})(or|and|of|to|for)(?=[A-Z])")
"""Small word between two acronyms: `BASorGST`."""

_CLASS = re.compile(r"Controller(?=[_.])|(?<=[a-z])Resource(?=\.)")
_ONE_WORD = re.compile(
    r"OAuth|IPv(?=[46])|GitHub|GitLab|BitBucket|YouTube|LinkedIn|PayPal|GraphQL|DevOps|WordPress|JavaScript|TypeScript"
    r"|MongoDB|PostgreSQL|MySQL|OpenAI|ChatGPT|eSIM|iOS|macOS"
)
"""Pattern of names that count as one word despite their inner capitals."""

_GLUED_METHOD = re.compile(r"(?<![A-Za-z])(GET|POST|PUT|PATCH|DELETE)(?=[a-z]{2})")
_GLUED_VERSION = re.compile(r"(?<=[a-z]{3})v(\d{1,2})(?![A-Za-z0-9])")
_NUMBERED = re.compile(r"(?<![A-Za-z0-9])\d+[a-z]{1,2}(?![A-Za-z0-9])")
_NUMERONYM = re.compile(r"[a-z]\d{1,2}[a-z]")
_STAGE = re.compile(r"(?:alpha|beta|rc)\d*")
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta|rc)\d*)?")
_RANDOM = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z]*\d)[A-Za-z0-9]{8,24}(?![A-Za-z0-9])")
_FEWEST_HUMPS = 5
_RUN_ON = re.compile(r"[a-z]{9,60}")
_FEWEST_OF_A_SENTENCE = 5
_FUNCTION_WORDS = frozenset(re.findall(r"\w+", "a an and as be by for from if in is it of on or that the this to with"))
"""Words that occur in sentences but not in names. They show that an operationId is a sentence."""

PREPOSITIONS = frozenset(["by", "for", "from", "of", "to", "using", "via", "with"])

_LINKS = frozenset(["a", "and", "by", "for", "from", "in", "new", "of", "on", "or", "partial", "the", "to", "with"])
"""Linking words. They are recognised in an operationId without capitals or separators, even if path and summary do not
contain them.
"""


def spoken_id(operation: Operation) -> str:
    """Return the operationId if it is written for people: words with blanks, or words of another script. Else return
    "".
    """
    said = (operation.id or "").strip()
    is_foreign = any(map(str.isalpha, said)) and not any(each.isascii() and each.isalpha() for each in said)
    return said if " " in said or is_foreign else ""


def without_sentence(operation: Operation) -> Operation:
    """Return `operation`; if its operationId is a whole sentence, return it without the operationId.

    The sentence becomes the summary if there is none.
    """
    said = operation.id or ""
    if len(said.split()) < _FEWEST_OF_A_SENTENCE or _FUNCTION_WORDS.isdisjoint(words(said)):
        return operation
    return replace(operation, id=None, summary=operation.summary or said)


def without_additions(operation: Operation) -> str:
    """Return the operationId without the path, method or suffix that a framework has added. Return "" if nothing is
    left.
    """
    return without_framework(_without_path(operation.id or "", operation), operation)


def read(operation: Operation, api_title: str, shared_ending: str = "") -> list[str]:
    """Return the words of the operation's id, without framework parts and HTTP method.

    Return [] if the operationId is missing or only repeats method and path. `shared_ending`: the word with which nearly
    all ids of the document end.
    """
    identifier = without_additions(operation)
    found = name_words(identifier)
    if len(found) > 1 and found[-1] == shared_ending and not _is_said(shared_ending, operation):
        found = found[:-1]
    ending = found[-1:]
    act = _act_in_path(operation)
    if act and found in ([], act, [operation.method.lower(), *act]):
        return act
    if len(found) > 2 and found[0] == "".join(words(api_title)):
        found = found[1:]
    if not found or _is_transcript(found, operation):
        return []
    if len(found) == 1 and (len(found[0]) < 3 or found[0] == operation.method.lower()):
        return []
    if len(found) == 1:
        found = _split_run_on(found[0], operation)
    found = _without_repeated_class(_without_method(_without_variable(found, identifier, operation), operation))
    if len(found) > 2 and found[1] in ("a", "an", "the") and found[0] in verbs.VERBS:
        found = [found[0], *found[2:]]  # `retrieve-a-block`
    kept = ending if ending in (["by"], ["to"]) else []  # `viewed_by`
    while len(found) > 1 and found[-1] in PREPOSITIONS and found[-1:] != kept:
        found = found[:-1]  # the word that belonged to the preposition was left out: `search_with_post`
    return found[1:] if found[0] == "do" and found[1:] and found[1] in verbs.VERBS else found


# The vendor's words keep their order, so that a user finds the operation in the vendor's documentation.
def name_words(text: str) -> list[str]:
    """Split `text` into the words of names: `OAuth2`, `IPv6`, `50p` and `v1beta1` are one word each."""
    numbered = set(_NUMBERED.findall(text))
    text = _ONE_WORD.sub(lambda found: found[0].capitalize(), _without_random(text))
    text = _GLUED_VERSION.sub(r"_v\1", _GLUED_METHOD.sub(r"\1_", _JOINED.sub(r"_\1_", text)))
    joined: list[str] = []
    for word in words(text):
        is_stage = bool(joined) and re.fullmatch(r"v\d+", joined[-1]) and _STAGE.fullmatch(word)
        is_numeronym = joined and _NUMERONYM.fullmatch(joined[-1] + word) and joined[-1] + word in text.lower()
        if joined and (is_stage or is_numeronym or joined[-1] + word in numbered):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _without_random(text: str) -> str:
    """Return `text` without random-looking parts (`6VMVochwUWo`), or unchanged if no letter would be left."""
    rest = _RANDOM.sub(lambda found: "" if len(words(found[0])) >= _FEWEST_HUMPS else found[0], text)
    return rest if any(map(str.isalpha, rest)) else text


def versions(operation: Operation) -> list[str]:
    """Return the segments of the path that name a version, in lower case."""
    return [segment for segment in operation.path.lower().split("/") if _VERSION.fullmatch(segment)]


def with_version_last(found: list[str], operation: Operation, known: frozenset[str]) -> list[str]:
    """Return the words in `found` with the version of the path moved to the end.

    `known`: the versions in all paths of the document. If there is only one, the version is left out, since it
    distinguishes no tools.
    """
    named = frozenset(versions(operation))
    version = [word for word in found if word in named]
    rest = [word for word in found if word not in named]
    return (rest if len(known) == 1 else rest + version) if rest else found


def without_framework(identifier: str, operation: Operation) -> str:
    """Return the operationId without the path, method or suffix that a web framework has appended to it."""
    identifier = _FRAMEWORK.sub("", _without_appended_path(identifier, operation))
    counter = _COUNTER.search(identifier)
    if counter and counter[1] not in words(operation.path):  # springdoc appends a number: `list_1`
        identifier = identifier[: counter.start()]
    kind = _KIND.search(identifier)
    if kind and not _is_said(kind[0].strip("_").lower(), operation):
        identifier = identifier[: kind.start()]
    return _CLASS.sub("", identifier)


def _without_appended_path(identifier: str, operation: Operation) -> str:
    """Return the operationId without the path and method at its end, which FastAPI appends."""
    segments = operation.path.strip("/").split("/")
    ending = "_" + operation.method.lower()
    is_short = len(segments) <= _MOST_SEGMENTS and len(identifier) <= _LONGEST_ID
    for skipped in range(len(segments) if is_short and identifier.endswith(ending) else 0):
        rest = "/" + "/".join(segments[skipped:])
        for path in (rest + "/" * operation.path.endswith("/"), rest):
            suffix = re.sub(r"\W", "_", path) + ending
            rest_of_id = identifier.removesuffix(suffix)
            if rest_of_id in ("", identifier):
                continue
            if skipped == 0 or not _goes_on(words(rest_of_id), words(segments[skipped - 1])):
                return rest_of_id
    return identifier


def _is_said(word: str, operation: Operation) -> bool:
    """Return True if path or summary contain a word, which then is more than an ending that a framework asks for."""
    return singular(word) in map(singular, words(f"{operation.path} {operation.summary}"))


def _goes_on(rest_of_id: list[str], segment: list[str]) -> bool:
    """Return True if a suffix of an operationId must stay, although it repeats the last segments of the path.

    `rest_of_id`: words of the operationId before the suffix. `segment`: words of the path segment before those last
    segments. The suffix stays if `rest_of_id` is a single word or ends with `segment`, and so repeats the path too.
    """
    last = [singular(word) for word in rest_of_id[-len(segment) :]]
    return len(rest_of_id) < 2 or last == [singular(word) for word in segment]


def _is_transcript(found: list[str], operation: Operation) -> bool:
    """Return True if the operationId only repeats method and path: the method, and a word of each segment.

    `DeleteRule` of a POST, and an id that leaves out segments, are names that the author chose.
    """
    if found[0] != operation.method.lower() or len(found) < 2:
        return False
    segments = [segment for segment in operation.path.split("/") if segment]
    tail = [segment for segment in segments if not PREFIX_SEGMENT.fullmatch(segment)]
    own = found[1:]
    while len(own) > 1 and _VERSION.fullmatch(own[0]) and own[0] not in versions(operation):
        own = own[1:]  # skip a version in the id that the path does not contain
    said = [singular(word) for word in own]
    if said == [singular(word) for segment in tail for word in name_words(segment)]:
        return True
    in_path = {singular(word) for word in [*words(operation.path), *name_words(operation.path)]}
    in_path |= {"id"} if operation.template.variables else set()
    static = {singular(word) for segment in tail if "{" not in segment for word in name_words(segment)}
    return len(found) > len(segments) and in_path.issuperset(said) and static.issubset(said)


def _without_variable(found: list[str], identifier: str, operation: Operation) -> list[str]:
    """Return the words of an operationId that repeats the path, without the variables of the path.

    `PATCH_mc-fields-field_id` loses `field_id`, and `GET_mc-lists-id-contacts` loses `id`.
    """
    if found[0] not in METHODS or not operation.template.variables:
        return found
    segments = operation.path.strip("/").split("/")
    is_short = len(segments) <= _MOST_SEGMENTS and len(identifier) <= _LONGEST_ID
    for before, variable, after in zip(segments, segments[1:], segments[2:], strict=False) if is_short else ():
        if "{" in variable:
            found = _without_inner(found, name_words(before), name_words(variable), name_words(after))
    last = operation.template.variables[-1]
    if not re.search(rf"[-/]{re.escape(last)}$", identifier):
        return found
    rest = found[: len(found) - len(name_words(last))]
    is_name = len(rest) > 1 and rest[-1] not in PREPOSITIONS  # `delete-project-by-uuid` keeps its variable
    return [*rest[:-1], singular(rest[-1])] if is_name else found


def _without_inner(found: list[str], before: list[str], variable: list[str], after: list[str]) -> list[str]:
    """Return the words without a variable that stands between the segments `before` and `after`, as in the path."""
    whole = [*before, *variable, *after]
    # a segment without letters, such as an emoji, has no words
    for start in range(1, len(found) - len(whole) + 1) if before else ():
        if found[start : start + len(whole)] == whole:
            rest = found[start + len(whole) :]
            return [*found[:start], *before[:-1], singular(before[-1]), *after, *rest]
    return found


def _without_method(found: list[str], operation: Operation) -> list[str]:
    """Return the words with the HTTP method replaced by a verb, or removed if the words already contain a verb."""
    method = operation.method.lower()
    in_path = {singular(word) for word in words(operation.path)}
    if len(found) > 2 and (found[0], found[-1]) == ("get", "list") and verbs.is_plural(found[1:-1]):
        return ["list", *found[1:-1]]  # `get_users_list`
    if len(found) > 1 and found[-1] == method and method not in in_path:
        if method in found[:-1] or _has_verb(found[:-1], operation):
            found = found[:-1]
        elif method in _UNSPEAKING:
            found = [*found[:-1], _verb(found[:-1], operation)]
    for index, word in enumerate(found[:-1]):
        # In `chat.postMessage` at `/chat.postMessage`, `post` is a verb of the API, not the HTTP method.
        if word in _UNSPEAKING and word not in in_path and _SPEAKING.isdisjoint(found[:index]):
            rest = found[index + 1 :]
            verb = _verb(rest, operation)
            if index == 0 and len(rest) > 1 and rest[-1:] == _act_of_path(operation):
                return [rest[-1], *rest[:-1]]
            begins = words(operation.summary)[:1]
            if verb in rest or (index and (rest[0] in verbs.VERBS or [verbs.imperative(rest[0])] == begins)):
                return [*found[:index], *rest]
            return [*found[:index], verb, *(_of_one(rest, operation) if verb == "create" else rest)]
    return found


def _act_of_path(operation: Operation) -> list[str]:
    """Return the verb that is the whole last segment of the path of a POST, or []: `/ads/{id}/toggle`.

    A PUT writes the thing that the last segment names: `/containers/{id}/archive`.
    """
    last = name_words(operation.path.rpartition("/")[2])
    if len(last) != 1 or operation.method != "POST" or verbs.is_object(last, operation.summary):
        return []
    return last[: verbs.of_segment(last, operation.method)]


def _has_verb(found: list[str], operation: Operation) -> bool:
    """Return True if one of the operationId's words (`found`) is certainly a verb.

    Such a word is in `_SPEAKING`, or it is a verb with which the summary or the last path segment begins.
    """
    begins = words(operation.summary)[:1] + words(operation.path.rpartition("/")[2])[:1]
    said = {verbs.imperative(word) for word in begins} & verbs.VERBS
    return not (_SPEAKING | said).isdisjoint(found)


def _of_one(found: list[str], operation: Operation) -> list[str]:
    """Return the words, the last one in the singular if a POST creates one item of a collection, else unchanged."""
    is_making = operation.method == "POST" and "}" not in operation.path.rpartition("/")[2]
    return [*found[:-1], singular(found[-1])] if is_making else found


def _verb(found: list[str], operation: Operation) -> str:
    on_item = operation.path.endswith("}")
    said = verbs.of_summary(operation.summary, operation.method, found if on_item else ())
    by_method = verbs.of_method(operation.method, on_item=on_item, plural=found[-1] != singular(found[-1]))
    return said or by_method


def _without_repeated_class(found: list[str]) -> list[str]:
    """Return the words without a first word that is repeated after the verb: `actions_set_actions_cache` becomes
    `set_actions_cache`.
    """
    verb = next((index for index, word in enumerate(found) if word in verbs.VERBS), 0)
    before, rest = found[:verb], found[verb:]
    again = [singular(word) for word in rest[1 : verb + 1]]
    if again == [singular(word) for word in before]:
        found = rest
    return without_stutter([[word] for word in found])


def without_stutter(parts: Iterable[list[str]]) -> list[str]:
    """Join `parts` into one list of words. If a part ends with the word that begins the next part, drop its last word.

    This applies only if one of the two parts is a single word: `/clients/{id}/client-secret` gives `client_secret`.
    """
    found: list[str] = []
    before: list[str] = []
    for part in parts:
        is_short = len(part) == 1 or len(before) == 1
        if before and part and is_short and singular(before[-1]) == singular(part[0]):
            found.pop()
        found += part
        before = part
    return found


def _split_run_on(word: str, operation: Operation) -> list[str]:
    """Split an id written without capitals (`getprojectspendlimit`) into words of the path, the summary and the tags.

    Return the id as one word if it is not made of such words.
    """
    text = " ".join([operation.path, operation.summary, *operation.tags])
    if not _RUN_ON.fullmatch(word) or word in words(text):
        return [word]
    said = words(text[:2000])
    known = {form for each in said for form in (each, singular(each)) if len(form) > 2}
    return list(_segmented(word, frozenset(known | METHODS | verbs.VERBS | _LINKS))) or [word]


@lru_cache(maxsize=1024)
def _segmented(word: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return the fewest `known` words whose concatenation is `word`, or an empty tuple if there are none."""
    best: list[tuple[str, ...] | None] = [(), *[None] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before = best[start]
            if before is not None and word[start:end] in known:
                longer = (*before, word[start:end])
                shorter = best[end]
                best[end] = longer if shorter is None or len(longer) < len(shorter) else shorter
    return best[-1] or ()


# -- ids in paths ------------------------------------------------------------------------------------------------------


def _act_in_path(operation: Operation) -> list[str]:
    """Return the words of the id in the query or fragment of the path key, or [] if it has none."""
    found = _ACT.search(operation.path)
    return words(found[1]) if found else []


def without_act(path: str) -> str:
    """Return the path key with only the id of its fragment: `/#Action=RunInstances` → `/#RunInstances`."""
    return _ACT.sub(r"#\1", path) if "#" in path else path


def _without_path(identifier: str, operation: Operation) -> str:
    """Return the part of an operationId behind its method and its path: `get-/a/{b}_getAll` → `getAll`.

    Return "" if that is another path or says less than the path (`getPage`). Return the whole id if it does not hold
    its path.
    """
    before, path, rest = identifier.partition(operation.path)
    if len(path) < 2 or before.strip("-_ ").lower() not in ("", operation.method.lower()):
        return identifier
    said = words(rest)
    says_less = len(said) == 2 and said[0] != "do" and said[1] not in AMOUNTS
    return "" if "/" in rest or says_less else rest.strip("-_ ")
