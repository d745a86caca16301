"""Shorten words to a valid name of at most LONGEST characters.

The result depends only on the words. The least informative parts are removed first: stop words, repetitions, letters
(by established abbreviations), then words around the verb from the outside in. Verb and object remain.
"""

import re

from mcpgen.base.names import short_hash
from mcpgen.naming.inflection import singular
from mcpgen.naming.verbs import VERBS

LONGEST = 50
_STOP_WORDS = frozenset(["a", "an", "the", "of", "for", "in", "on", "by", "and", "or", "using", "via"])
"""Words that a long name does without. `from`, `to` and `with` stay: who removes a runner from a group keeps the group.
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
ABBREVIATIONS = dict(
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
"""Word → established abbreviation, for long names. Mere truncations of words are not listed."""


# No hash is added: shortened names collide as rarely as others, and stay readable.
def shortened(found: list[str], key: str, longest: int = LONGEST) -> str:
    """Return a valid name of at most `longest` characters, made of the words in `found`.

    If one word alone is too long, the name is cut and ends in a hash of `key` (METHOD and path of the operation).
    """
    found = [word for word in found if word] or ["call"]
    found = found[:_VERB_WITHIN] + found[_VERB_WITHIN:][-_MOST_WORDS:]
    found = _beginning_with_a_letter(found)
    if not _fits(found, longest):
        found = [found[0], *(word for word in found[1:] if word not in _STOP_WORDS)]
    if not _fits(found, longest):
        found = _without_repetitions(found)
    for word in sorted({word for word in found if word in ABBREVIATIONS}, key=lambda word: (-len(word), word)):
        if not _fits(found, longest):
            found = [ABBREVIATIONS[word] if other == word else other for other in found]
    while len(found) > 1 and not _fits(_beginning_with_a_letter(found), longest):
        found = _without_outermost(found)
    name = "_".join(_beginning_with_a_letter(found))
    return name if len(name) <= longest else f"{name[: longest - 1 - _HASH].rstrip('_')}_{short_hash(key, _HASH)}"


def _without_repetitions(found: list[str]) -> list[str]:
    """Return the words without repeated ones, and without plurals whose singular follows: `certs_cert`."""
    found = list(dict.fromkeys(found))
    return [word for index, word in enumerate(found) if singular(word) not in found[index + 1 :]]


def _beginning_with_a_letter(found: list[str]) -> list[str]:
    """Return the words, with "call" before them if the first word begins with a digit, since no name may begin with a
    digit.
    """
    return found if found[0][0].isalpha() else ["call", *found]


def _fits(found: list[str], longest: int) -> bool:
    return len("_".join(found)) <= longest


def _without_outermost(found: list[str]) -> list[str]:
    """Return the words without the least important one: the first word before the verb, else the first word after the
    verb.
    """
    verb = next((index for index, word in enumerate(found[:_VERB_WITHIN]) if word in VERBS), None)
    first = 1 if verb == 0 else 0
    others = (index for index in range(first, len(found) - 1) if not _KEPT.fullmatch(found[index]))
    goes = next(others, first)
    return [*found[:goes], *found[goes + 1 :]]
