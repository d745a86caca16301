"""Generate hostile documents from families of documents. A document of any family can grow to one megabyte.

Most documents are small, some are large, and a few have the largest size. Families contain what takes readers much
work: recursion, nested unions, thousands of equal parts, and texts that make regular expressions backtrack.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from tests.hostile.fuzz.documents import operations, schemas, texts
from tests.hostile.fuzz.documents.by_hand import tools_file

LARGEST = 1_000_000
"""Limit on the bytes of a document."""

SIZES = {1.0: 16, 1.5: 16, 2.0: 8, 2.5: 4, 3.0: 3, 4.8: 1}
"""Number of parts of a document as a power of ten → how often it is chosen."""

FLAGS = ((), (), ("--structured",), ("--schema-profile", "full"), ("--structured", "--fields"))

FAMILIES: dict[str, Callable[[Random, int], Any]] = {
    each.__name__: each
    for each in (
        *(schemas.graph, schemas.mutual, schemas.ladder, schemas.chain, schemas.wide, schemas.listed),
        *(schemas.discriminated, schemas.deep, schemas.combined, schemas.anchored),
        *(operations.operations, operations.inputs, operations.templates),
        *(texts.texts, texts.patterns, texts.aliased, texts.written, tools_file),
    )
}


class Hostile(NamedTuple):
    """A document, the name of its file, and the flags for compiling it."""

    family: str
    data: bytes
    name: str = "openapi.json"
    flags: tuple[str, ...] = ()


def document(chance: Random) -> Hostile:
    """Return a document of at most LARGEST bytes, made by a random function of FAMILIES."""
    family = chance.choice(list(FAMILIES))
    size = int(10 ** chance.uniform(0.5, chance.choices(list(SIZES), list(SIZES.values()))[0]))
    return grown(family, chance, size)._replace(flags=chance.choice(FLAGS))


def grown(family: str, chance: Random, size: int) -> Hostile:
    """Return a document made by the function FAMILIES[family].

    `size`: about how many repeated parts, such as operations, the document has. The number is reduced if the document
    would exceed LARGEST bytes.
    """
    seed = chance.getrandbits(64)
    while True:
        made = FAMILIES[family](Random(seed), size)
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False)
        data = text.encode("utf-8", "surrogatepass")
        if len(data) <= LARGEST or size <= 1:
            name = "openapi.yaml" if isinstance(made, str) else "openapi.json"
            return Hostile(family, data[:LARGEST], name)
        size = size * 2 // 3
