"""The name of a tool, from its operation alone: neither order nor neighbours change it, but for collisions.

1. A usable operationId is cleaned: what frameworks append is cut (FastAPI's path, Springfox's `UsingGET`, NestJS's
   `Controller`), the rest split into words in the vendor's order, which the vendor's own documentation shows.
2. An id that only transcribes method and path is treated as missing.
3. Without an id the path names the tool: verb from the method or from an action segment (`/refund`), nouns from the
   static segments.
4. A name over 50 characters loses stop words, repeated words, then letters by fixed abbreviations, then ancestors; a
   hash is the last resort.
5. Collisions are settled by what distinguishes the operations (a path parameter, a version, the method), never by a
   counter.
"""

import re
from collections.abc import Iterable, Mapping

from mcpgen.model import Operation
from mcpgen.names import TOOL_NAME, distinct, short_hash, words

LONGEST = 50
_METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "query"}
_FRAMEWORK = re.compile(r"Using(?:GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)(?:_\d+)?$")
_PREFIX_SEGMENT = re.compile(r"api|rest|v\d+(?:\.\d+)*|\d+(?:\.\d+)+", re.IGNORECASE)
_STOP_WORDS = frozenset(
    ["a", "an", "the", "of", "for", "in", "on", "to", "by", "with", "from", "and", "or", "using", "via"]
)
_ACTIONS = frozenset(
    re.findall(
        r"\w+",
        """
        accept activate add approve archive assign attach authorize block cancel capture check clone close complete
        confirm copy deactivate decline detach disable download enable execute expire export finalize import invite join
        leave lock login logout merge move pause pay ping preview publish query refund refresh reject release remove
        rename reopen replay resend reset resolve restart restore resume retry revoke rotate run search send share start
        stop submit subscribe sync test transfer trigger unarchive unblock unlock unpublish unsubscribe update upload
        validate verify void
        """,
    )
)
_ABBREVIATIONS = dict(
    re.findall(
        r"(\w+)=(\w+)",
        """
        administration=admin application=app applications=apps attribute=attr attributes=attrs authentication=auth
        authorization=authz certificate=cert certificates=certs configuration=config configurations=configs
        configured=config database=db databases=dbs definition=def definitions=defs description=desc destination=dest
        development=dev directory=dir document=doc documents=docs environment=env environments=envs identifier=id
        information=info management=mgmt maximum=max message=msg messages=msgs minimum=min namespace=ns namespaced=ns
        notification=notif notifications=notifs number=num organisation=org organization=org organizations=orgs
        parameter=param parameters=params permission=perm permissions=perms production=prod properties=props
        property=prop reference=ref references=refs repositories=repos repository=repo resource=res resources=res
        specification=spec statistics=stats subscription=sub subscriptions=subs temporary=temp transaction=txn
        transactions=txns
        """,
    )
)
"""Words that a long name may shorten: established abbreviations only, never stumps."""


def assign(operations: Iterable[Operation], promised: Mapping[str, str], api_title: str) -> dict[str, str]:
    """Key → name for every operation. A name in `promised` (key → name) is kept, and never given to another one."""
    operations = list(operations)
    named = {operation.key: operation.name for operation in operations if operation.name}
    named |= {o.key: promised[o.key] for o in operations if o.key in promised and o.key not in named}
    taken = {name.casefold() for name in (*promised.values(), *named.values())}
    wanted: dict[str, list[Operation]] = {}
    for operation in operations:
        if operation.key not in named:
            wanted.setdefault(derive(operation, api_title), []).append(operation)
    for name, members in sorted(wanted.items()):
        for operation in sorted(members, key=_precedence):
            candidates = [name, *_distinctions(name, operation)]
            named[operation.key] = distinct(candidates, name[: LONGEST - 9].rstrip("_"), operation.key, taken)
            taken.add(named[operation.key])
    return named


def _precedence(operation: Operation) -> tuple[bool, int, str, str]:
    return operation.deprecated, operation.path.count("/"), operation.path, operation.method


def _distinctions(name: str, operation: Operation) -> Iterable[str]:
    """Names that tell `operation` from another one of the same name, the plainest first."""
    suffixes: list[str] = []
    if operation.template.variables:
        suffixes.append("by_" + "_".join(words(operation.template.variables[-1])))
    suffixes += [
        segment.lower() for segment in operation.path.split("/") if re.fullmatch(r"v\d+", segment, re.IGNORECASE)
    ]
    suffixes.append(operation.method.lower())
    for suffix in suffixes:
        candidate = f"{name}_{suffix}"
        if TOOL_NAME.fullmatch(candidate) and "__" not in candidate:
            yield candidate
    yield _shortened(_from_path(operation), operation)
    for length in (4, 8, 12):
        yield f"{name[: LONGEST - 1 - length].rstrip('_')}_{short_hash(operation.key, length)}"


def derive(operation: Operation, api_title: str) -> str:
    """The name of one operation before collisions, matching TOOL_NAME without `__`."""
    found = _from_id(operation, api_title) or _from_path(operation)
    return _shortened(found, operation)


def _from_id(operation: Operation, api_title: str) -> list[str]:
    identifier = _without_framework(operation.id or "", operation)
    found = words(identifier)
    if len(found) > 2 and found[0] == "".join(words(api_title)):
        found = found[1:]
    if (
        not found
        or _is_transcript(found, operation)
        or (len(found) == 1 and (len(found[0]) < 3 or found[0] in _METHODS))
    ):
        return []
    return found


def _without_framework(identifier: str, operation: Operation) -> str:
    segments = operation.path.strip("/").split("/")
    for skipped in range(len(segments)):
        rest = "/" + "/".join(segments[skipped:])
        for path in (rest + "/" * operation.path.endswith("/"), rest):
            suffix = re.sub(r"\W", "_", path) + "_" + operation.method.lower()
            rest_of_id = identifier.removesuffix(suffix)
            if rest_of_id and rest_of_id != identifier and (skipped == 0 or len(words(rest_of_id)) > 1):
                return rest_of_id
    identifier = _FRAMEWORK.sub("", identifier)
    return re.sub(r"Controller(?=[_.])", "", identifier)


def _is_transcript(found: list[str], operation: Operation) -> bool:
    """Whether an id only writes method and path down again; then the path names the operation better."""
    if found[0] not in _METHODS or len(found) < 2:
        return False
    segments = [segment for segment in operation.path.split("/") if segment]
    said, tail = (
        [*map(_singular, found[1:])],
        [segment for segment in segments if not _PREFIX_SEGMENT.fullmatch(segment)],
    )
    if said == [_singular(word) for segment in tail for word in words(segment)]:
        return True
    in_path = {_singular(word) for word in words(operation.path)}
    return len(found) > len(segments) and in_path.issuperset(said)


def _from_path(operation: Operation) -> list[str]:
    segments = [segment for segment in operation.path.split("?")[0].split("#")[0].split("/") if segment]
    while len(segments) > 1 and _PREFIX_SEGMENT.fullmatch(segments[0]):
        segments = segments[1:]
    custom = ""
    if segments and re.search(r"[}\w]:[A-Za-z]\w*$", segments[-1]):
        segments[-1], custom = segments[-1].rsplit(":", 1)
    static = [(index, segment) for index, segment in enumerate(segments) if "{" not in segment]
    ends_in_variable = bool(segments) and "{" in segments[-1]
    nouns: list[list[str]] = []
    for index, segment in static:
        followed = index + 1 < len(segments) and "{" in segments[index + 1]
        parts = words(segment)
        nouns.append([*parts[:-1], _singular(parts[-1])] if followed and parts else parts)
    verb = words(custom)
    if (
        not verb
        and nouns
        and operation.method != "GET"
        and len(nouns) > 1
        and len(nouns[-1]) == 1
        and nouns[-1][0] in _ACTIONS
    ):
        verb = nouns.pop()
    if not verb:
        verb = [_verb(operation.method, ends_in_variable, bool(nouns) and _is_plural(nouns[-1]))]
        if verb == ["create"] and nouns and nouns[-1]:
            nouns[-1] = [*nouns[-1][:-1], _singular(nouns[-1][-1])]
    flat = (
        [word for noun in nouns for word in noun]
        or [word for name in operation.template.variables for word in words(name)]
        or ["root"]
    )
    return verb + flat


def _verb(method: str, on_item: bool, plural: bool) -> str:
    if method == "GET":
        return "list" if plural and not on_item else "get"
    if method == "PUT":
        return "replace" if on_item else "set"
    if method == "POST":
        return "update" if on_item else "create"
    return {"PATCH": "update", "DELETE": "delete", "HEAD": "check", "OPTIONS": "describe"}.get(method, method.lower())


def _is_plural(noun: list[str]) -> bool:
    return bool(noun) and _singular(noun[-1]) != noun[-1]


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "news", "series", "status")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _shortened(found: list[str], operation: Operation) -> str:
    """The words as a legal name of at most LONGEST characters; each step looks at this operation alone."""
    found = [word for word in found if word] or ["call"]
    if not found[0][0].isalpha():
        found = ["call", *found]
    if len("_".join(found)) > LONGEST:
        found = [found[0], *(word for word in found[1:] if word not in _STOP_WORDS)]
    if len("_".join(found)) > LONGEST:
        found = [word for index, word in enumerate(found) if index == 0 or word != found[index - 1]]
    for word in sorted({word for word in found if word in _ABBREVIATIONS}, key=lambda word: (-len(word), word)):
        if len("_".join(found)) > LONGEST:
            found = [_ABBREVIATIONS[word] if other == word else other for other in found]
    name = "_".join(found)
    if len(name) <= LONGEST:
        return name
    room = LONGEST - 5
    head, tail = found[:1], found[1:]
    while tail and len("_".join([*head, *tail])) > room:
        tail = tail[1:]
    return "_".join([*head, *tail])[:room].rstrip("_") + "_" + short_hash(operation.key)
