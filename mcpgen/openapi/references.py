"""`$ref` in a document: where it leads, and that it leads somewhere (RFC 6901, OpenAPI 3.1 section 4.8.23).

Only references into the same document are followed. Nothing is ever fetched, and data positions (examples, defaults,
enums) are never looked at, because only callers that know that a reference may stand there ask.
"""

from urllib.parse import unquote

from mcpgen.document import Document
from mcpgen.errors import Unusable
from mcpgen.jsonvalue import JsonObject, JsonValue, lookup, tokens

_LONGEST_CHAIN = 50


class References:
    """Resolves references of one document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def name(self, place: str) -> str:
        """The name under which later passes know the schema at the pointer `place`."""
        return f"{self.document.name}#{place}"

    def names(self, name: str) -> bool:
        """Whether `name` names a schema of this document."""
        return name.startswith(f"{self.document.name}#")

    def place(self, name: str) -> str:
        """The pointer of the schema that `name` names; KeyError for a name of another document."""
        if not self.names(name):
            raise KeyError(name)
        return name.removeprefix(f"{self.document.name}#")

    def schema(self, place: str) -> JsonObject:
        """The schema that stands at the pointer `place`, by its name."""
        return {"$ref": self.name(place)}

    def target(self, reference: str, pointer: str) -> str:
        """The pointer that `reference`, standing at `pointer`, leads to. Unusable for one that leaves the document."""
        if not reference.startswith("#"):
            raise Unusable(
                "foreign-reference",
                f"The reference {_shown(reference)} leads out of the document; it is not followed.",
                self.document.where(pointer),
                "Bundle the documents into one file.",
            )
        return unquote(reference[1:])

    def at(self, target: str, origin: str) -> JsonValue:
        """The value at pointer `target`. Unusable, placed at `origin`, where there is none."""
        try:
            if target and not target.startswith("/"):
                raise KeyError(target)
            return lookup(self.document.value, tokens(target))
        except KeyError:
            raise Unusable(
                "broken-reference",
                f"The reference #{_shown(target)} leads nowhere.",
                self.document.where(origin),
                "Define what it names, or correct its spelling.",
            ) from None

    def resolve(self, value: JsonValue, pointer: str) -> tuple[JsonObject, str]:
        """The object that `value` is or refers to, and its pointer. Unusable where there is none, or where references
        go in circles.
        """
        start = pointer
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(value, dict):
                raise Unusable(
                    "invalid-document",
                    "An object belongs here.",
                    self.document.where(pointer),
                    "Write an object, or a reference to one.",
                )
            reference = value.get("$ref")
            if not isinstance(reference, str):
                return value, pointer
            target = self.target(reference, pointer)
            value, pointer = self.at(target, pointer), target
        raise Unusable(
            "reference-loop",
            "References lead back to themselves.",
            self.document.where(start),
            "Let one of them end in a value.",
        )


def _shown(text: str) -> str:
    return text if len(text) <= 120 else text[:120] + "…"
