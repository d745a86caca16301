"""Index the GET operations that read one item (`/jobs/{id}`) by their collection, and by identifiers of several
words in their description, such as `job_id`.

A document may have thousands of operations that answer 202, so no operation is compared with all others.
"""

import re
from collections.abc import Iterable, Iterator

from mcpgen.base.names import alphanumeric, words
from mcpgen.lower.jobs import mentions
from mcpgen.lower.jobs.states import Member
from mcpgen.model import Operation
from mcpgen.naming.inflection import singular

_VARIABLE = re.compile(r"\{[^{}]*\}")
_NAME = re.compile(r"\w+(?:-\w+)*")
_MOST = 100
"""Largest number of descriptions that name the same id. If more name it, the id tells nothing, and none is read."""

_Key = tuple[str, str]
"""Name of a document, and the text by which an operation of this document is found."""


class Items:
    """GET operations whose paths end in a variable."""

    def __init__(self, reads: Iterable[Operation]) -> None:
        self._by_collection: dict[_Key, list[Operation]] = {}
        self._by_noun: dict[_Key, list[Operation]] = {}
        self._by_parent: dict[_Key, list[Operation]] = {}
        self._by_word: dict[_Key, list[tuple[Operation, str]]] = {}
        for each in reads:
            before, _, last = each.path.rpartition("/")
            if _VARIABLE.fullmatch(last):
                self._add(each, *before.rpartition("/")[::2])

    def of_collection(self, operation: Operation) -> Iterator[Operation]:
        """Yield the operations that read an item of the collection that ends the path of `operation`: for
        `/lists/{…}/items`, those at `/items/{…}` and `/list_items/{…}`.
        """
        *_, parent, last = ["", "", *(each for each in operation.path.split("/") if each and not each.startswith("{"))]
        for name in dict.fromkeys((alphanumeric(last), alphanumeric(f"{singular(parent)}{last}"))):
            yield from self._by_collection.get((operation.document, name), ())

    def of_job(self, operation: Operation, member: Member) -> Iterator[Operation]:
        """Yield operations that may read the item whose id a response of `operation` gives in `member`.

        First come operations on items named like the member (`/jobs/{…}` for `job_id`), then those on items below the
        path of `operation`, and those whose description says that they take the id.
        """
        noun = (words(member.name) if len(words(member.name)) > 1 else [member.holder, ""])[:-1]
        if noun:
            yield from self._by_noun.get((operation.document, singular(alphanumeric("".join(noun)))), ())
        yield from self._by_parent.get((operation.document, operation.path), ())
        naming, names = self._by_word.get((operation.document, member.name), []), mentions.names_of(operation)
        for each, text in naming if len(naming) <= _MOST else ():
            if mentions.has_path(each.description, operation.path) or any(name in text for name in names):
                yield each

    def _add(self, read: Operation, parent: str, collection: str) -> None:
        keys = ((self._by_collection, alphanumeric(collection)), (self._by_noun, singular(alphanumeric(collection))))
        for index, name in (*keys, (self._by_parent, parent)):
            index.setdefault((read.document, name), []).append(read)
        found = {name for name in _NAME.findall(read.description) if len(words(name)) > 1}
        text = alphanumeric(read.description) if found else ""
        for name in found:
            self._by_word.setdefault((read.document, name), []).append((read, text))
