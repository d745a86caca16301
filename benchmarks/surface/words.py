"""Split names, and the document's texts, into words.

A name is faithful if each of its words occurs in what the document says about the operation. If a text can be split in
several ways (`OAuth2`, `IPv4`, `GitHub`), each way counts. Plural and singular count as the same word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise

_RUNS = re.compile(r"[A-Za-z0-9]+")
_HUMPS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")

VERBS = frozenset(
    re.findall(r"\w+", "get list create update delete replace set check describe query head options patch put post")
)
"""Verbs that names may use although the document does not: they stand for HTTP methods."""

CONNECTIVES = frozenset({"by"})
"""Words that a name may add to distinguish two operations: `get_user_by_id`."""

_ABBREVIATIONS = re.findall(
    r"(\w+)=(\w+)",
    """
    administration=admin administrator=admin address=addr application=app argument=arg asynchronous=async attribute=attr
    authentication=auth authorization=auth authorization=authz average=avg certificate=cert command=cmd
    configuration=config configured=config connection=conn credential=cred current=curr database=db definition=def
    department=dept description=desc destination=dest development=dev directory=dir distribution=dist document=doc
    documentation=docs environment=env error=err extension=ext frequency=freq identifier=id identification=id image=img
    implementation=impl information=info initialize=init international=intl internal=int kubernetes=k8s language=lang
    library=lib location=loc management=mgmt maximum=max memory=mem message=msg metadata=meta minimum=min module=mod
    namespace=ns namespaced=ns network=net notification=notif number=num object=obj option=opt organisation=org
    organization=org package=pkg parameter=param password=pwd permission=perm position=pos previous=prev production=prod
    property=prop public=pub quantity=qty reference=ref regular=reg repository=repo request=req resource=res
    response=resp schedule=sched secondary=sec security=sec sequence=seq server=srv service=svc source=src
    specification=spec statement=stmt statistic=stat subscription=sub synchronize=sync system=sys technology=tech
    telephone=tel temporary=temp temporary=tmp text=txt transaction=txn utility=util value=val variable=var
    version=ver volume=vol
    """,
)
"""Pairs of a word and its usual short form, which is faithful if the document has the long form."""


def strangers(name: str, texts: Iterable[str]) -> list[str]:
    """Return the words of `name` that occur in none of `texts`."""
    known = {form for text in texts for word in _readings(text) for form in _forms(word)}
    known |= {short for long, short in _ABBREVIATIONS if long in known} | VERBS | CONNECTIVES
    return [word for word in re.split(r"[_-]", name) if known.isdisjoint(_forms(word.lower()))]


def _readings(text: str) -> Iterator[str]:
    """Yield the words in `text`: camel-case parts of runs of letters and digits, and whole runs of at most three parts.

    Two neighbouring parts are also yielded as one word if one of them has at most two characters or is a number.
    """
    folded = unicodedata.normalize("NFKD", re.sub("['\u2019]", "", text)).encode("ascii", "ignore").decode()
    for run in _RUNS.findall(folded):
        humps = [hump.lower() for hump in _HUMPS.findall(run)]
        yield from humps
        if len(humps) <= 3:
            yield run.lower()
        for first, second in pairwise(humps):
            if min(len(first), len(second)) <= 2 or first.isdigit() or second.isdigit():
                yield first + second


def _forms(word: str) -> set[str]:
    """Return `word`, and the words whose plural it may be."""
    forms = {word}
    if len(word) > 2 and word.endswith("s"):
        forms.add(word[:-1])
    if len(word) > 4 and word.endswith("es"):
        forms.add(word[:-2])
    if len(word) > 4 and word.endswith("ies"):
        forms.add(word[:-3] + "y")
    return forms
