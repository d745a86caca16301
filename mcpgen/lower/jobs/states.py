"""Find the member of a response that shows the state of a job, and the values that mean that the job has ended."""

from collections.abc import Iterator
from typing import NamedTuple

from mcpgen.base.jsonvalue import JsonObject, as_list
from mcpgen.base.jsonvalue import pointer as inside
from mcpgen.base.names import alphanumeric, words
from mcpgen.base.runtime import job_words
from mcpgen.lower.schema.compose import Composer, alternatives, members, types
from mcpgen.lower.schema.nodes import items_of

_ENDS = frozenset(("completedat", "finishedat", "endedat", "completiontime", "finishtime", "completiondate"))
"""Names of members that have a value only after the work has ended."""

_FLAGS = frozenset(("done", "finished", "completed", "complete", "isdone", "isfinished", "iscomplete", "ready"))
_BROKEN = job_words.BROKEN | {"dead"}
_AT_WORK = frozenset(
    (
        *("pending", "queued", "new", "inprogress", "created", "accepted", "submitted", "requested", "received"),
        *("enqueued", "started", "initialized", "notstarted", "unfinished", "incomplete", "paused"),
    )
)
_LASTING = frozenset(("active", "running", "online", "up", "healthy", "enabled", "inuse"))
"""States that mean either that a job is at work or that a machine is ready. The other values of the enum decide
which.
"""

_MAY_TELL = job_words.NAMES.union(job_words.INNER, ("response",))
_FEW = 3
_DEPTH = 3
_PHASE = "phase"


class Member(NamedTuple):
    """A member of a response: the JSON Pointer to it, its name, the name of the object that contains it (`holder`), and
    its schema.
    """

    pointer: str
    name: str
    holder: str
    node: JsonObject


class State(NamedTuple):
    """Member of a response that shows the state of a job.

    `pointer`: JSON Pointer to the member, or "" if no condition of a `task` in a tools file can test the state. `done`
    and `failed`: values that mean success and failure, () if the document lists none. `is_word`: True if the state is a
    word such as `running`. False if it is a boolean that is true, or a time that is set, once the job has ended.
    """

    pointer: str
    done: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    is_word: bool = True


def listed(schema: JsonObject | None, composer: Composer) -> list[Member]:
    """Return the members of a response, outer members first: those of the root, and those of objects that may describe
    the job. Such an object has a name such as `data`. If the root has at most _FEW members, every object directly
    in the root is such an object too.
    """
    if schema is None:
        return []
    found, level = list[Member](), [("", "", schema)]
    for _ in range(_DEPTH):
        inner: list[tuple[str, str, JsonObject]] = []
        for pointer, holder, each in level:
            own = [*_members(pointer, holder, each, composer)]
            found += own
            wraps = not pointer and len(own) <= _FEW
            inner += [(one.pointer, one.name, one.node) for one in own if wraps or _may_tell(one.name)]
        level = inner
    return found


def _members(pointer: str, holder: str, schema: JsonObject, composer: Composer) -> Iterator[Member]:
    """Yield the members of an object schema, including the members of its alternatives."""
    node, _ = composer.node(schema)
    found = dict(members(node))
    for each in alternatives(node):
        found = {**dict(members(composer.node(each)[0])), **found}
    for name, member in found.items():
        inner, _ = composer.node(member)
        if "properties" not in inner:
            inner = _chosen(inner, composer)
        yield Member(inside(pointer, name), name, holder, inner)


def _chosen(node: JsonObject, composer: Composer) -> JsonObject:
    """Return the only alternative of `node` apart from null, or `node` itself if there are several."""
    for keyword in ("anyOf", "oneOf"):
        each = [composer.node(one)[0] for one in as_list(node.get(keyword)) if isinstance(one, dict)]
        real = [one for one in each if types(one) != ["null"]]
        if len(real) == 1:
            return real[0]
    return node


def _may_tell(name: str) -> bool:
    return alphanumeric(name) in _MAY_TELL or alphanumeric(name).endswith("metadata")


def state_of(schema: JsonObject | None, composer: Composer) -> State | None:
    """Return the member of a response that shows a state: a text or a boolean. Return None if there is none."""
    found = listed(schema, composer)
    texts = [each for each in found if _is_text(each.node)]
    named = [each for each in texts if alphanumeric(each.name) in job_words.NAMES]
    named += [each for each in texts if alphanumeric(each.name).endswith(("status", "state")) and "enum" in each.node]
    if (state := next(filter(None, map(_of_words, named)), None)) is not None:
        return state
    for each in found:
        if alphanumeric(each.name) in _FLAGS and "boolean" in types(each.node):
            return State(each.pointer, is_word=False)
    return None


def end_of(schema: JsonObject | None, composer: Composer) -> State | None:
    """Return the member of a response that has a value only after the work has ended, or None."""
    found = (each for each in listed(schema, composer) if alphanumeric(each.name) in _ENDS)
    return next((State(each.pointer, is_word=False) for each in found), None)


def parts_of(schema: JsonObject | None, composer: Composer) -> State | None:
    """Return `State("")` if an item lists parts that have states, such as the nodes of a pool. Return None otherwise.

    The pointer "" says that no condition of a `task` can test the state: a condition tests one value, so it cannot
    require that all parts are ready.
    """
    for each in listed(schema, composer):
        if "array" in types(each.node):
            state = state_of(items_of(each.node), composer)
            if state is not None and any(alphanumeric(word) in job_words.ENDED | _LASTING for word in state.done):
                return State("")
    return None


def member_names(schema: JsonObject | None, composer: Composer) -> set[str]:
    """Return the names of the members of a response, and of the objects in it."""
    found = listed(schema, composer)
    return {each.name for each in found} | {name for each in found for name, _ in members(each.node)}


def _is_text(node: JsonObject) -> bool:
    kinds = types(node)
    return "string" in kinds or (not kinds and "properties" not in node)


def _of_words(member: Member) -> State | None:
    """Return the pointer of a member that shows a job's state, with the values of its enum for success and failure.

    Return None if the enum has no value for work in progress. Also return None for `phase` without an enum: for a thing
    such as a namespace, `phase` tells whether the thing exists.
    """
    said = [each for each in as_list(member.node.get("enum")) if isinstance(each, str)]
    if not said:
        return State(member.pointer) if alphanumeric(member.name) != _PHASE else None
    failed = [each for each in said if _is_broken(each)]
    rest = [each for each in said if each not in failed]
    working = [each for each in rest if is_at_work(each)]
    if _has_ended(rest):  # beside `completed`, `running` means an unfinished job, not a machine that is ready
        working += [each for each in rest if alphanumeric(each) in _LASTING]
    if not working:
        return None
    return State(member.pointer, tuple(each for each in rest if each not in working), tuple(failed))


def _has_ended(said: list[str]) -> bool:
    return any(alphanumeric(each) in job_words.ENDED for each in said)


def _is_broken(word: str) -> bool:
    return alphanumeric(word) in _BROKEN or (words(word) or [""])[-1] in ("failed", "error", "failure")


def is_at_work(word: str) -> bool:
    """Return True if a word means that work goes on, such as `pending` and `provisioning`."""
    said = words(word)
    goes_on = any(each.endswith("ing") and each not in ("running", "missing") for each in said)
    return goes_on or alphanumeric(word) in _AT_WORK or not _AT_WORK.isdisjoint(said)
