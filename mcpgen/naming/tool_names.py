"""Derive the name of a tool from its operation. Other operations matter for collisions, versions and shared segments.

1. The words of a usable operationId become the name (`operation_ids`), without parts that web frameworks add. The HTTP
methods `post`, `put` and `patch` are left out or replaced by a verb. An operationId that is a whole sentence counts as
a summary. Words of other scripts are spelled in ASCII before.

2. Without an id the path names the tool. The verb comes from an action segment (`/refund`), the summary or the method
(`verbs`), the nouns from the static segments. An operationId that is only a verb gets these nouns too, or those of a
short summary. Nouns with which nearly all paths of a large document begin are left out, and so is a word with which
nearly all ids end, such as `route`.

3. A version of the API is the last word; it is left out if the document has only one version.

4. A name over 50 characters loses its least informative parts: stop words, repetitions, letters (by established
abbreviations), then words around the verb from the outside in. Verb and object remain.

5. Collisions are resolved by what distinguishes the operations (a version, a word of the path, a path parameter, the
method), never by a counter.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from urllib.parse import unquote

from mcpgen.base.names import TOOL_NAME, distinct, romanize, short_hash, words
from mcpgen.model import Operation
from mcpgen.model.pins import Pins
from mcpgen.naming import operation_ids, verbs
from mcpgen.naming.effect_words import DESTROYS
from mcpgen.naming.operation_ids import AMOUNTS, name_words, versions, with_version_last, without_act
from mcpgen.naming.verbs import DATE_SEGMENT, LOCATING_SEGMENT, VERBS, is_one_thing, is_plural, singular

_VARIABLE = re.compile(r"\{[^{}]*\}")
_AS_ONE = frozenset(["add", "create", "insert", "register"])
"""Verbs that act on one item even if the path names a collection. Their noun becomes singular."""

_HALTS = frozenset(["close", "end", "halt", "pause", "shutdown", "stop", "suspend"])
"""Verbs for stopping something that may still exist afterwards."""

_SHORT_SUMMARY = 3
_LINKING = operation_ids.PREPOSITIONS | {"and", "in", "on", "or"}
_SAID_FIRST = 200
_REMOVES = re.compile(r"\b(delete|destroy|remove|erase|purge)(?:s|d|ing)?\b", re.IGNORECASE)
_ENCODED = re.compile(r"(?:%[89A-F][0-9A-F])+", re.IGNORECASE)
_LATIN = re.compile(r"[A-Za-z]")
LONGEST = 50
_STOP_WORDS = ("namespaced", "a", "an", "the", "using", "via", "of", "by", "in", "on", "and", "or")
"""Words that a long name does without, the least important first. `from`, `to` and `with` stay: who removes a runner
from a group keeps the group.
"""
_VERB_WITHIN = 3
"""Among how many first words a verb is searched: ids such as `repos/get-branch` and `events_list` do not begin with the
verb.
"""
_MOST_WORDS = 100
"""Limit on the words that are considered, counted from the end.

A name has room for 25 words, and dropping words one by one takes quadratic time in their number.
"""
_KEPT = re.compile(r"v\d+(?:(?:alpha|beta|rc)\d*)?|all|batch|bulk|collection|many")
"""Pattern of words that distinguish versions, or one item from many. When a name is shortened, these words are removed
last.
"""
_HASH = 4
_FEWEST_INSIDE, _FEWEST_ALIKE, _SHARE = 30, 10, 0.9
"""How many paths begin with the same segments, how many ids end with the same word, and which part of all these are, so
that segments and word say nothing about one tool.
"""

_ABBREVIATIONS = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """
        administration=admin application=app applications=apps attribute=attr attributes=attrs authentication=auth
        authorization=authz certificate=cert certificates=certs configuration=config configurations=configs
        configured=config database=db databases=dbs description=desc destination=dest development=dev directory=dir
        document=doc documents=docs environment=env environments=envs identifier=id information=info management=mgmt
        maximum=max message=msg messages=msgs minimum=min namespace=ns notification=notif notifications=notifs
        number=num organisation=org organization=org organizations=orgs parameter=param parameters=params
        permission=perm permissions=perms production=prod properties=props property=prop reference=ref references=refs
        repositories=repos repository=repo resources=res specification=spec statistics=stats subscription=sub
        subscriptions=subs temporary=temp transaction=txn transactions=txns
        """,
    )
)
"""Word → established abbreviation, for long names. Mere truncations of words are not listed."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the operations of a document share, so that it says nothing about one of them.

    `versions`: the versions in the paths; if there are several, they distinguish tools. `outer`: the segments with
    which nearly all paths begin. `ending`: the word with which nearly all ids end.
    """

    versions: frozenset[str] = frozenset()
    outer: Sequence[str] = ()
    ending: str = ""


_NOTHING = Shared()


def assign(operations: Iterable[Operation], promises: Pins, api_title: str) -> dict[str, str]:
    """Return operation key → tool name for all operations.

    `promises`: names that tools had in earlier versions of the project. Such a name stays with its operation. No other
    operation gets the name, even if no tool uses it any more; only the server's owner may give it to another tool.
    """
    operations = list(operations)
    kept, owners = promises.kept, promises.owners
    named = {each.key: each.decided.name for each in operations if each.decided.name and not _is_foreign(each, owners)}
    given = {name.casefold() for name in named.values()}
    owners = _with_aliases(promises.owners, operations)
    known = {each.key: kept[each.key] for each in operations if each.key in kept and each.key not in named}
    named |= {key: name for key, name in known.items() if _TakenNames(given, owners, key).is_free(name)}
    taken = {name.casefold() for name in named.values()}
    wanted: dict[str, list[Operation]] = {}
    shared = _shared_by_document(operations)
    for operation in operations:
        if operation.key not in named:
            name = derive(operation, api_title, shared[operation.document])
            wanted.setdefault(name, []).append(_in_ascii(operation))
    for name, members in sorted(wanted.items()):
        for operation in sorted(members, key=_precedence):
            candidates = itertools.chain([name], _distinctions(name, operation, members))
            free = _TakenNames(taken, owners, operation.key)
            named[operation.key] = distinct(candidates, _within(name, LONGEST - 9), operation.key, free)
            taken.add(named[operation.key])
    return named


def _with_aliases(owners: Mapping[str, frozenset[str]], operations: Iterable[Operation]) -> dict[str, frozenset[str]]:
    """Return `owners` and the aliases of `operations`: name → keys (such as `GET /pets/{}`) of the operations that own
    the name. No other tool may get these names.
    """
    found = dict(owners)
    for operation in operations:
        for alias in operation.decided.aliases:
            found[alias.casefold()] = frozenset({operation.key})
    return found


def _shared_by_document(operations: Iterable[Operation]) -> dict[str, Shared]:
    found: dict[str, list[Operation]] = {}
    for operation in operations:
        found.setdefault(operation.document, []).append(operation)
    return {document: _shared(each) for document, each in found.items()}


def _shared(operations: Sequence[Operation]) -> Shared:
    known = frozenset(version for each in operations for version in versions(each) or [""])
    paths = [_segments(_VARIABLE.sub("{}", each.path)) for each in operations]
    ids = (words(operation_ids.without_additions(each)) for each in operations)
    endings = Counter(each[-1] for each in ids if len(each) > 1)
    ending, count = max(endings.items(), key=itemgetter(1), default=("", 0))
    return Shared(
        known, _shared_segments(paths), ending if count >= max(_FEWEST_ALIKE, _SHARE * len(operations)) else ""
    )


def _shared_segments(paths: list[list[str]]) -> list[str]:
    """Return the segments with which nearly all `paths` begin, up to the first variable: `/realms/{}`."""
    shared: list[str] = []
    while shared[-1:] != ["{}"]:
        at = len(shared)
        following = Counter(path[at] for path in paths if path[:at] == shared and len(path) > at)
        segment, count = max(following.items(), key=itemgetter(1), default=("", 0))
        if count < max(_FEWEST_INSIDE, _SHARE * len(paths)):
            break
        shared.append(segment)
    return shared


def _is_foreign(operation: Operation, owners: Mapping[str, frozenset[str]]) -> bool:
    """Return True if the document, not the server's owner, gives the operation a name that the project has stored for
    other operations.
    """
    name = operation.decided.name or ""
    by_document = operation.extension.get("name") == name
    return by_document and not owners.get(name.casefold(), frozenset()) <= {operation.key}


@dataclass(frozen=True, slots=True)
class _TakenNames:
    """Container (`in`) of names that the operation `key` must not get: names in use, and names that are reserved for
    other operations.
    """

    used: set[str]
    owners: Mapping[str, frozenset[str]]
    key: str

    def is_free(self, name: str) -> bool:
        """Return True if no tool uses `name`, and the name is not reserved or is reserved for the operation `key`.

        `owners`: reserved name → keys of the operations that may get it.
        """
        return name.casefold() not in self.used and self.key in self.owners.get(name.casefold(), {self.key})

    def __contains__(self, name: object) -> bool:
        return name in self.used or not self.owners.get(str(name), frozenset()) <= {self.key}


def _precedence(operation: Operation) -> tuple[int, str, str, str]:
    return operation.path.count("/"), operation.path, operation.method, operation.key


def _distinctions(name: str, operation: Operation, members: Sequence[Operation]) -> Iterable[str]:
    """Yield names that distinguish `operation` from the other operations in `members`. The simplest comes first.

    All operations in `members` have the same derived name, `name`.
    """
    is_alone = len(members) == 1  # the name is reserved for a removed or renamed operation, not derived for another one
    are_paths = is_alone or len({member.path for member in members}) > 1
    are_versions = len({tuple(versions(member)) for member in members}) > 1
    suffixes = [each for each in versions(operation) if each not in name.split("_")] if are_versions else []
    if asked := _asked(operation):
        suffixes.append("by_" + "_".join(asked))
    others = [member for member in members if member is not operation]
    if not suffixes:
        yield from _placed(name, operation, others)
    if operation.template.variables and are_paths:
        shared = {variable for member in others for variable in member.template.variables}
        own = [variable for variable in operation.template.variables if variable not in shared]
        suffixes.append("by_" + "_".join(words((own or operation.template.variables)[-1])))
    if is_alone or len({member.method for member in members}) > 1:
        if operation.method == "PUT" and "update" in name.split("_"):
            own = name.removeprefix(f"{operation.decided.prefix}_").split("_")
            yield _prefixed(["replace" if word == "update" else word for word in own], operation)
        suffixes.append(operation.method.lower())
    for suffix in suffixes:
        candidate = f"{name}_{suffix}"
        if TOOL_NAME.fullmatch(candidate) and "__" not in candidate:
            yield candidate
    yield _prefixed(_from_path(operation), operation)
    yield _prefixed(_ends(_from_path(operation), LONGEST - len(operation.decided.prefix) - 1), operation)
    if len(name) + 1 + len(operation.method) <= LONGEST and operation.method.isalpha():
        yield f"{name}_{operation.method.lower()}"
    for length in (4, 8, 12):
        yield f"{_within(name, LONGEST - 1 - length)}_{short_hash(operation.key, length)}"


def _placed(name: str, operation: Operation, others: Sequence[Operation]) -> Iterator[str]:
    """Yield a name with the one word of the path that no path of `others` has: `delete_chatkit_thread`."""
    said = {singular(word) for other in others for word in name_words(other.path)} | set(map(singular, name.split("_")))
    own = {singular(word) for noun in _nouns(_segments(operation.path)) for word in noun} - said
    verb, _, rest = name.partition("_")
    candidate = f"{verb}_{'_'.join(own)}_{rest}"
    if others and len(own) == 1 and rest and verb in verbs.VERBS and len(candidate) <= LONGEST:
        yield candidate


def _ends(found: list[str], longest: int) -> list[str]:
    """Return the first two words, and as many of the last words as fit into `longest` characters."""
    while len("_".join(found)) > longest and len(found) > 3:
        found = found[:2] + found[3:]
    return found


def _within(name: str, limit: int) -> str:
    """Return `name` cut to `limit` characters: at the end of a word, or inside it if the first word is too long."""
    if len(name) <= limit:
        return name
    whole, _, _ = name[: limit + 1].rpartition("_")
    return whole or name[:limit]


def derive(operation: Operation, api_title: str, shared: Shared = _NOTHING) -> str:
    """Return the derived name of one operation, before collisions are resolved. The name matches the pattern TOOL_NAME.

    `shared`: what the operations of its document share.
    """
    operation = operation_ids.without_sentence(_in_ascii(operation))
    title = operation.api_title or api_title
    found = operation_ids.read(operation, title, shared.ending) or _from_short_id(operation)
    if found and found[0] in verbs.VERBS and _names_nothing(found[1:]):
        whole = [*(_from_summary(found[0], operation) or _with_nouns(found[0], operation, shared.outer)), *found[1:]]
        found = operation_ids.without_stutter([[word] for word in whole])
    found = _whole_act(found or _from_path(operation, shared.outer), operation)
    return _prefixed(with_version_last(found, operation, shared.versions), operation)


def _names_nothing(found: list[str]) -> bool:
    """Return True if the words after the verb of an id name no thing: `getById`, `findAll`, `list`."""
    rest = found[1:] if found[:1] and found[0] in AMOUNTS else found
    return not rest or rest[0] == "by"


def _from_short_id(operation: Operation) -> list[str]:
    """Return the words of a short summary, for an id of one word that names nothing: `ps`, or the method."""
    said, begins = words(operation.id or ""), words(operation.summary)[:1]
    if len(said) != 1 or not begins:
        return []
    verb = verbs.imperative(begins[0])
    is_same = verb in said or (operation.method == "GET" and verb in ("get", "list"))
    return _from_summary(verb, operation) if is_same else []


def _from_summary(verb: str, operation: Operation) -> list[str]:
    """Return the words of a short summary that begins with `verb`, or [] if the path says the same.

    The id `list` at `/api/tags` with the summary "List models" gives `list_models`.
    """
    said = [word for word in words(operation.summary) if word not in ("a", "an", "the")]
    if not 2 <= len(said) <= _SHORT_SUMMARY or not _LINKING.isdisjoint(said) or verbs.imperative(said[0]) != verb:
        return []
    in_path = {singular(word) for noun in _nouns(_segments(operation.path)) for word in noun} - {verb}
    is_said = in_path and in_path.issubset(map(singular, said))
    return [] if is_said else [verb, *said[1:]]


def _with_nouns(verb: str, operation: Operation, outer: Sequence[str]) -> list[str]:
    """Return the words of a name for an operationId that is only a verb: the verb, and the nouns of the path.

    `restore` at `/projects/{id}/restore` gives `restore_project`.
    """
    segments = _segments(operation.path)
    inner = _inner(_nouns(segments), segments, outer)
    said = (noun for noun in inner if noun != [verb] and len("".join(noun)) > 2)
    nouns = [noun for noun in said if not noun[0].startswith(verb)]  # avoid names such as `fail_failing`
    flat = operation_ids.without_stutter(nouns)
    if flat and verb in _AS_ONE:
        flat[-1] = singular(flat[-1])
    return [verb, *flat]


# A model must see in the name that a call destroys data.
def _whole_act(found: list[str], operation: Operation) -> list[str]:
    """Return the words with a verb of removal added, if the operationId of a DELETE only says that something stops.

    The verb comes from the summary or description: `stop_and_delete_containers`.
    """
    if operation.method != "DELETE" or not (DESTROYS - _HALTS).isdisjoint(found) or _HALTS.isdisjoint(found):
        return found
    said = _REMOVES.search(operation.summary) or _REMOVES.search(operation.description[:_SAID_FIRST])
    if said is None:
        return found
    verb = next(index for index, word in enumerate(found) if word in _HALTS)
    return [*found[: verb + 1], "and", said[1].lower(), *found[verb + 1 :]]


def _prefixed(found: list[str], operation: Operation) -> str:
    """Return a valid name: the prefix of the operation's document, then the words.

    The words are shortened to make room for the prefix.
    """
    if not operation.decided.prefix:
        return shortened(found, operation.key)
    return f"{operation.decided.prefix}_{shortened(found, operation.key, LONGEST - len(operation.decided.prefix) - 1)}"


def _from_path(operation: Operation, outer: Sequence[str] = ()) -> list[str]:
    segments = _segments(operation.path)
    custom: list[str] = []
    if segments and re.search(r"[}\w]:[A-Za-z]\w*$", segments[-1]):
        segments[-1], _, action = segments[-1].rpartition(":")
        custom = words(action)
    on_item = bool(segments) and "{" in segments[-1]
    nouns = _nouns(segments)
    are_nouns = bool(nouns)
    verb = custom or _action(nouns, operation, on_item)
    if are_nouns and not nouns:  # the only segment was the verb: `/search`
        return verb
    nouns = _inner(nouns, segments, outer)
    last = name_words(segments[-1]) if segments else []
    is_said = last[:1] == verb  # `/add-models` adds several
    if is_said and nouns[-1:] == [last]:  # `/push-revocation`, "Push a revocation policy"
        nouns[-1] = last[1:] or last
    flat = operation_ids.without_stutter([noun for noun in nouns if noun != verb] or nouns)
    if flat and verb[0] in _AS_ONE and not is_said:
        flat[-1] = singular(flat[-1])
    flat = flat or [word for name in operation.template.variables for word in words(name)] or _without_words(segments)
    asked = _asked(operation)
    return verb + flat + (["by", *asked] if asked else [])


def _inner(nouns: list[list[str]], segments: list[str], outer: Sequence[str]) -> list[list[str]]:
    """Return the nouns of a path without those of the segments `outer`, if it begins with them. The last noun stays."""
    if any(each != _VARIABLE.sub("{}", own) for each, own in zip(outer, segments, strict=False)):
        return nouns
    return nouns[min(len(_nouns([*outer[: len(segments)]])), len(nouns) - 1) :]


def _without_words(segments: list[str]) -> list[str]:
    """Return the noun for a path without letters: `root` for `/`, else `path` and a hash, since `/✨` is no root."""
    return ["path", short_hash("/".join(segments))] if segments else ["root"]


def _nouns(segments: list[str]) -> list[list[str]]:
    """Return the words of each static segment, in the singular if a variable picks one item."""
    nouns: list[list[str]] = []
    for segment, following in itertools.pairwise([*segments, ""]):
        if parts := name_words(_VARIABLE.sub(" ", segment)):
            of_item = "{" in following or "{" in segment
            nouns.append([*parts[:-1], singular(parts[-1])] if of_item else parts)
    return nouns


def _asked(operation: Operation) -> list[str]:
    """Return the words of query parameters that are part of the path key (`/a?kind=x`) and distinguish operations at
    one path.
    """
    return [word for name, _ in operation.template.query_variables for word in words(name)]


def _segments(path: str) -> list[str]:
    """Return the segments of a path, without prefixes such as `/api/v1`, without dates and without `.json`.

    A fragment (`#x`) becomes the last segment.
    """
    path, _, fragment = without_act(path).partition("#")
    segments = [re.sub(r"\.(?:json|xml)$", "", segment) for segment in path.partition("?")[0].split("/") if segment]
    while len(segments) > 1 and LOCATING_SEGMENT.fullmatch(segments[0]):
        segments = segments[1:]
    segments = [segment for segment in segments if not DATE_SEGMENT.fullmatch(segment)] or segments
    return [*segments, fragment] if fragment else segments


def _action(nouns: list[list[str]], operation: Operation, on_item: bool) -> list[str]:
    """Return the verb of a name, from the path, the summary or the HTTP method.

    A verb that is taken from a path segment is removed from `nouns`.
    """
    method = operation.method
    if ["search"] in nouns and method in ("GET", "POST"):
        nouns.remove(["search"])
        return ["search"]
    is_verb = len(nouns) > 1 and not on_item and verbs.of_segment(nouns[-1], method)
    if is_verb and not verbs.is_object(nouns[-1], operation.summary):
        verb, *rest = nouns.pop()
        if rest:
            nouns.append(rest)
        return [verb]
    # If a GET or DELETE has an operationId (`getInventory`), the method gives the verb, except for a file
    said = verbs.of_summary(operation.summary, method, nouns[-1] if on_item and nouns else [])
    has_verb = operation.id is not None and method in ("GET", "DELETE")
    if has_verb and (said not in verbs.FILES or any(said in noun for noun in nouns)):
        said = ""
    if nouns == [[said]] and words(operation.summary)[1:2] == ["the"]:  # `/shutdown`, "Shutdown the Hub"
        nouns.clear()
    if said and (not nouns or singular(nouns[-1][-1]) != said):  # avoid names such as `refund_refund`
        return [said]
    plural = bool(nouns) and is_plural(nouns[-1]) and not _is_one_object(nouns[-1], operation)
    # without a body nothing is replaced: `PUT /groups/{group}/members/{user}`
    is_link = method == "PUT" and on_item and operation.body is None and len(operation.template.variables) > 1
    return ["add"] if is_link else [verbs.of_method(method, on_item=on_item, plural=plural)]


def _is_one_object(noun: list[str], operation: Operation) -> bool:
    """Return True if a GET returns one object, although its noun is a plural: `/stats`, "Get log drain settings"."""
    said = words(operation.summary)
    return is_one_thing(noun) or (said[:1] == ["get"] and is_one_thing(said))


def _in_ascii(operation: Operation) -> Operation:
    """Return `operation` with its id, its path and the variables of the path in ASCII.

    An id without a Latin letter is left out if the path names something: a verb by the method and a noun say more.
    """
    identifier, path = operation.id or "", operation.path
    if identifier.isascii() and path.isascii() and not _ENCODED.search(path):
        return operation
    path = romanize(_ENCODED.sub(lambda found: unquote(found[0]), path))
    is_foreign = not _LATIN.search(identifier) and _LATIN.search(_VARIABLE.sub("", path))
    template = replace(
        operation.template,
        variables=tuple(map(romanize, operation.template.variables)),
        query_variables=tuple((romanize(name), variable) for name, variable in operation.template.query_variables),
    )
    return replace(operation, id=None if is_foreign else romanize(identifier), path=path, template=template)


# No hash is added: shortened names collide as rarely as others, and stay readable.
def shortened(found: list[str], key: str, longest: int = LONGEST) -> str:
    """Return a valid name of at most `longest` characters, made of the words in `found`.

    If one word alone is too long, the name is cut and ends in a hash of `key` (METHOD and path of the operation).
    """
    found = [word for word in found if word] or ["call"]
    found = found[:_VERB_WITHIN] + found[_VERB_WITHIN:][-_MOST_WORDS:]
    found = _beginning_with_a_letter(found)
    for stop in _STOP_WORDS:
        if not _fits(found, longest):
            found = [found[0], *(word for word in found[1:] if word != stop)]
    if not _fits(found, longest):
        found = _without_repetitions(found)
    for word in sorted({word for word in found if word in _ABBREVIATIONS}, key=lambda word: (-len(word), word)):
        if not _fits(found, longest):
            found = [_ABBREVIATIONS[word] if other == word else other for other in found]
    while len(found) > 1 and not _fits(_beginning_with_a_letter(found), longest):
        found = _without_outermost(found, longest)
    name = "_".join(_beginning_with_a_letter(found))
    return name if len(name) <= longest else f"{name[: longest - 1 - _HASH].rstrip('_')}_{short_hash(key, _HASH)}"


def _without_repetitions(found: list[str]) -> list[str]:
    """Return the words without repeated ones, and without plurals whose singular follows: `certs_cert`.

    A word before the verb goes, if it follows the verb too: `actions_enable_github_actions`.
    """
    verb = _verb_at(found)
    found = list(dict.fromkeys([word for word in found[:verb] if word not in found[verb:]] + found[verb:]))
    return [word for index, word in enumerate(found) if singular(word) not in found[index + 1 :]]


def _verb_at(found: list[str]) -> int:
    """Return the index of the first word that may be the verb of a name, or 0 if there is none at the beginning."""
    return next((index for index, word in enumerate(found[:_VERB_WITHIN]) if word in VERBS), 0)


def _beginning_with_a_letter(found: list[str]) -> list[str]:
    """Return the words, with "call" before them if the first word begins with a digit, since no name may begin with a
    digit.
    """
    return found if found[0][0].isalpha() else ["call", *found]


def _fits(found: list[str], longest: int) -> bool:
    return len("_".join(found)) <= longest


def _without_outermost(found: list[str], longest: int) -> list[str]:
    """Return the words without the least important one: the first word before the verb, else `for` if the rest fits,
    else the first word after the verb.
    """
    first = 1 if found[0] in VERBS else 0
    if first and _fits(rest := [word for word in found if word != "for"], longest):
        return rest
    others = (index for index in range(first, len(found) - 1) if not _KEPT.fullmatch(found[index]))
    goes = next(others, first)
    return [*found[:goes], *found[goes + 1 :]]
