"""Diagnostics: findings with a stable code, a place, a message and a hint.

A pass returns a value and adds diagnostics to the collector that it was given; nothing here prints. A place is a file
and a JSON Pointer. Lines and columns are looked up once, at the end, for the diagnostics that are shown
(`Document.positions`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from mcpgen.base import jsonvalue

Severity = Literal["error", "warning", "note"]

CODES: dict[str, tuple[Severity, str]] = {
    # Reading: the document as a whole.
    "unreadable": ("error", "The source could not be read."),
    "too-large": ("error", "The source is larger than the compiler reads."),
    "not-text": ("error", "The source is not UTF-8 text."),
    "syntax": ("error", "The text is neither JSON nor YAML."),
    "too-deep": ("error", "The text nests deeper than the compiler follows."),
    "too-many-nodes": (
        "error",
        "The text holds, or its aliases and merges expand to, more values than the compiler reads.",
    ),
    "yaml-tag": ("warning", "A YAML tag asks for something that is not JSON; the value is read without it."),
    "yaml-alias": ("warning", "A YAML alias has no value; null is read."),
    "yaml-key": ("error", "A YAML key is not a plain text, or what is merged is no mapping."),
    "duplicate-key": ("warning", "A key occurs twice in one object; the last value is used."),
    "more-documents": ("warning", "A file holds more than one YAML document; the first is read."),
    "control-character": ("warning", "Control characters that the format does not allow were removed."),
    "number": ("warning", "A number is not finite or too long; it is read as text."),
    "not-an-api": ("error", "The document is neither an OpenAPI document nor a tools file."),
    "unsupported-version": ("error", "This version of OpenAPI is not read."),
    "no-operations": ("error", "No operation is left to make a tool of."),
    "invalid-document": ("warning", "The document violates the schema of its version."),
    # One operation.
    "broken-reference": ("warning", "The target of a reference does not exist."),
    "foreign-reference": ("warning", "A reference leads out of the document; it is not followed."),
    "reference-loop": ("warning", "References form a loop without a value."),
    "invalid-path": ("warning", "A path cannot be sent as written."),
    "path-query": ("warning", "A path key holds a query or a fragment."),
    "undeclared-path-parameter": (
        "warning",
        "A path holds a parameter that is not declared; it is taken as a required text.",
    ),
    "repeated-path-parameter": ("warning", "A path names a parameter twice; each is an argument of its own."),
    "unused-parameters": ("note", "Parameters that every method of the API has are not offered as arguments."),
    "unused-scripts": ("note", "A Postman collection has scripts, which no tool runs."),
    "unused-path-parameter": ("warning", "A path parameter is declared that the path does not hold."),
    "invalid-parameter": ("warning", "A parameter cannot be understood."),
    "invalid-style": ("warning", "A style is not defined for this place; the default is used."),
    "nested-values": ("note", "A style leaves open how values inside the values of a parameter are written."),
    "unsupported-method": ("warning", "This method is never offered as a tool."),
    "invalid-media-type": ("warning", "A key under `content` is not a media type."),
    "unsupported-body": ("warning", "No media type of the body can be sent."),
    "invalid-security": ("warning", "A security requirement or scheme cannot be understood."),
    "invalid-server": ("warning", "A server URL cannot be used."),
    "private-server": ("warning", "A server URL points into a private network."),
    "new-origin": ("warning", "Calls or credentials would go to an origin that the owner has not accepted."),
    "base-url-path": ("note", "A base URL without a path keeps the path of the document's server."),
    "no-server": ("warning", "The document names no absolute server URL."),
    "credential-parameter": (
        "note",
        "A header parameter carries a credential or belongs to HTTP; it is not an argument.",
    ),
    "login-operation": ("note", "An operation takes a password or returns an access token; it is no tool."),
    "fixed-confirmation": ("note", "A confirmation that the document fixes is sent with calls that destroy something."),
    "duplicate-operation-id": ("warning", "Two operations have one operationId."),
    "invalid-extension": ("warning", "A value under `x-mcp` cannot be used."),
    "hidden-operation": ("note", "The document itself hides operations."),
    "body-required": ("note", "Bodies with required members are taken as required where the document does not say."),
    "schema-contradiction": ("warning", "Parts of an `allOf` contradict each other; the last one is used."),
    "too-complex": ("warning", "Schemas describe more than the compiler walks through; what needs them is left out."),
    "schema-cut": ("note", "A schema is deeper or larger than models use well; it was cut, with a word where."),
    "unchecked-pattern": (
        "note",
        "A pattern takes too much time or memory to be checked; it is left to the API.",
    ),
    "impossible-pattern": ("note", "A pattern contradicts what stands beside it; it is left to the API."),
    "foreign-pattern": ("note", "A pattern is none of ECMA 262 with the flag `u`; it is left to the API."),
    "mended-pattern": ("note", "A pattern has slashes around it or needless backslashes, which were taken off."),
    "branching-schema": ("warning", "A schema takes too many steps for each value that it checks."),
    "large-tool": ("warning", "A tool costs more tokens than it may, whatever is left out."),
    "no-output-schema": ("note", "No answer is described that an output schema could be derived from."),
    "no-pages": ("note", "A tool that was to go through all pages fetches one: how, is not known."),
    "no-lookup": (
        "note",
        "A tool that was to take names in place of ids takes ids: no one tool finds them for certain.",
    ),
    "hidden-characters": (
        "warning",
        "Invisible or direction-changing characters were taken out of a text, or stand where they cannot be.",
    ),
    "text-gives-orders": ("warning", "A text speaks to a model instead of about the API."),
    "name-of-host": ("warning", "A tool is called like one that hosts have of their own."),
    "list-too-large": ("error", "The list of tools takes more bytes than clients read in one message."),
    "many-tools": ("warning", "More tools than models and clients handle well."),
    # The tools file.
    "unknown-key": ("error", "The tools file has a key that nothing reads."),
    "missing-key": ("error", "The tools file lacks a key that must be there."),
    "invalid-value": ("error", "A value in the tools file is not of the kind that stands there."),
    "invalid-name": ("error", "A name cannot be used as it stands."),
    "duplicate-name": ("error", "Two tools, resources or prompts have one name, or two resources one URI."),
    "unknown-name": ("error", "A name leads to nothing in the tools file."),
    "unused-argument": ("warning", "An argument is declared that nothing uses."),
    "unused-variable": ("warning", "A variable is declared that no base URL uses."),
    "unusable-file": ("error", "A file that the tools file names cannot be taken in."),
    "unknown-operation": ("error", "An override names an operation that is not there."),
    "unknown-argument": ("error", "An override names an argument that is not there."),
    "unused-override": ("warning", "An override concerns an operation that was skipped or left out."),
    "orphaned-override": ("warning", "An override concerns an operation or an argument that the API no longer has."),
    "unused-selector": (
        "warning",
        "A selector of the tools file selects nothing, or a media type of it is not offered.",
    ),
    "unused-scheme": ("warning", "A security scheme of the tools file is one that nothing uses."),
    "broken-schema": ("error", "A schema written by hand would make clients drop the whole list of tools."),
    "invalid-header-name": ("error", "An `x-mcp-header` in a schema is one that clients drop the tool for."),
    "written-schema": ("note", "A schema written by hand leaves what every client and provider takes."),
    "asks-for-secret": ("error", "A question asks the user for a secret, or shows one of the environment."),
    "risky-argument": ("note", "The name of an argument is one that agent frameworks fail on or lose."),
    # hooks.py of a project.
    "orphaned-hook": ("warning", "A hook is for a tool that is not there."),
    "unreadable-hooks": ("warning", "The hooks of a project cannot be read as Python."),
    # Overlays.
    "invalid-overlay": ("error", "An overlay cannot be applied as it stands."),
    "unused-overlay": ("warning", "An action of an overlay selects nothing, or there is no document for the overlay."),
    "foreign-overlay": ("note", "An overlay says that it extends another document."),
    # The check of the finished catalog: what must never be emitted.
    "unportable-schema": ("warning", "A schema would be refused by a client or a model's provider."),
    "unbound-argument": ("warning", "An argument leads nowhere, or a binding has no argument."),
    "over-budget": ("error", "A tool takes more tokens than it may."),
    # Output.
    "invalid-flag": ("error", "A flag has a value that cannot be used."),
    "output-refused": ("error", "The output directory is not ours to write."),
    "output-failed": ("error", "The output directory could not be read or written."),
    "output-unfinished": ("error", "Parts of the project, or of its write, lie beside it or with another one."),
    "project-locked": ("error", "Another run is at work on the project."),
    "edited-file": ("error", "A generated file was edited by hand."),
    "no-project": ("error", "There is no generated project to generate again."),
    "no-source": ("error", "The project does not remember a source that can be read again."),
    "older-compiler": ("warning", "The project was generated by a later version of mcpgen."),
    "pinned-version": ("warning", "A version that a tools file gives stayed where the tools changed."),
    "lock-unreadable": ("error", "The lock file of the project cannot be read."),
}
"""Every code with its severity and its meaning. A published code never changes its meaning."""

# Decision 0133: What is forgiven in a document is an error in a tools file.
SERIOUS_BY_HAND = frozenset(
    {
        *("broken-reference", "foreign-reference", "reference-loop", "invalid-path", "invalid-parameter"),
        *("invalid-style", "invalid-media-type", "unsupported-body", "unsupported-method", "invalid-security"),
        *("invalid-server", "unused-path-parameter", "unportable-schema", "unbound-argument", "duplicate-key"),
        *("branching-schema", "yaml-tag", "yaml-alias"),
    }
)
"""Codes that are errors in a tools file and only warnings in an API document.

Each finding costs an operation or a part of the input. The user has just written the tools file and can correct it; the
document is usually written by others.
"""


IN_THE_WAY = frozenset({"no-server", "invalid-server", "new-origin", "invalid-security"})
"""Codes of warnings that mean that calls of the generated server will fail.

Reports show them directly after errors and skipped operations.
"""

FATAL_WITH_STRICT = frozenset({"hidden-characters", "broken-reference", "foreign-reference"})
"""Codes of warnings for which `--strict` writes nothing, as for skipped operations.

They stand for text that reviewers cannot see, and for schemas that are missing.
"""


@dataclass(frozen=True, slots=True)
class Where:
    """Place in a file. `line` and `column` count from 1 and are None until they are looked up."""

    file: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None

    def inside(self, *tokens: str | int) -> "Where":
        """Return the place of a member below this place, by its reference tokens."""
        return Where(self.file, jsonvalue.pointer(self.pointer, *tokens))

    def __str__(self) -> str:
        if self.line is None:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `message` says what is wrong and `hint` what to do, both in whole sentences.

    `by_hand`: True if the finding is about a tools file, which a person wrote.
    """

    code: str
    message: str
    hint: str = ""
    where: Where | None = None
    by_hand: bool = False

    @property
    def severity(self) -> Severity:
        return "error" if self.by_hand and self.code in SERIOUS_BY_HAND else CODES[self.code][0]


class Diagnostics:
    """Collector to which passes add their diagnostics; keeps their order."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def add(self, code: str, message: str, where: Where | None = None, hint: str = "") -> None:
        """Add a diagnostic, unless an equal one is among the last 50. `code` must be a key of CODES."""
        assert code in CODES, code
        found = Diagnostic(code, message, hint, where)
        if found not in self._found[-50:]:
            self._found.append(found)

    def extend(self, others: "Diagnostics | list[Diagnostic]") -> None:
        self._found.extend(others)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def placed(diagnostic: Diagnostic, line: int, column: int) -> Diagnostic:
    """Return `diagnostic` with the `line` and `column` of its place filled in, both counted from 1."""
    assert diagnostic.where is not None
    return replace(diagnostic, where=replace(diagnostic.where, line=line, column=column))
