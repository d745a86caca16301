"""Diagnostics: findings with a stable code, a place, a message and a hint.

A pass of the compiler returns a value and adds diagnostics to the collector that it was given; nothing here prints. A
place is a file and a JSON Pointer. Lines and columns are looked up once, at the end, for the diagnostics that are shown
(`Document.positions`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from mcpgen.base import jsonvalue
from mcpgen.base.secrets import without_secrets

Severity = Literal["error", "warning", "note"]

CODES: dict[str, tuple[Severity, str]] = {
    # Reading: findings about a document as a whole.
    "unreadable": ("error", "The source could not be read."),
    "too-large": ("error", "The source is larger than mcpgen's limit."),
    "not-text": ("error", "The source is not UTF-8 text."),
    "syntax": ("error", "The text is neither JSON nor YAML."),
    "too-deep": ("error", "The text is nested more deeply than mcpgen's limit."),
    "too-many-nodes": (
        "error",
        "The text has more values than mcpgen's limit, perhaps after its aliases and merges are expanded.",
    ),
    "yaml-tag": ("warning", "A YAML tag stands for a type that JSON does not have; the tag is ignored."),
    "yaml-alias": ("warning", "A YAML alias names an anchor that does not exist; null is used instead."),
    "yaml-key": ("error", "A YAML key is not a text, or the value of a merge key (<<) is not a mapping."),
    "duplicate-key": ("warning", "A key occurs twice in one object; the last value is used."),
    "more-documents": ("warning", "A file holds more than one YAML document; the first is read."),
    "control-character": ("warning", "Control characters that the format does not allow were removed."),
    "number": ("warning", "A number is too long or not finite; it is read as text."),
    "not-an-api": ("error", "The document is neither an OpenAPI document nor a tools file."),
    "unsupported-version": ("error", "mcpgen does not support this version of OpenAPI."),
    "no-operations": ("error", "No operation can become a tool, or none is selected."),
    "invalid-document": ("warning", "The document violates the JSON Schema of its OpenAPI version."),
    # Findings about one operation.
    "broken-reference": ("warning", "The target of a reference does not exist."),
    "foreign-reference": ("warning", "A reference points outside the document's folder; mcpgen does not follow it."),
    "reference-loop": ("warning", "References form a loop and never reach a value."),
    "invalid-path": ("warning", "A path is not valid in a request, so the operations of this path are left out."),
    "path-query": ("warning", "A key under `paths` contains a query or a fragment."),
    "undeclared-path-parameter": (
        "warning",
        "A path contains a parameter that is not declared; it becomes a required string argument.",
    ),
    "repeated-path-parameter": ("warning", "A path names a parameter twice; each occurrence becomes an argument."),
    "unused-parameters": (
        "note",
        "Global parameters of a Google Discovery document, such as those for formats, do not become arguments.",
    ),
    "unused-scripts": ("note", "A Postman collection has scripts, which mcpgen does not run."),
    "client-certificate": ("note", "A security scheme asks for a client certificate, which the operator provides."),
    "colon-in-path": ("warning", "A path writes a declared parameter as `:name`; it is read as `{name}`."),
    "unused-path-parameter": ("warning", "A declared path parameter does not occur in the path."),
    "invalid-parameter": ("warning", "The definition of a parameter is invalid or not supported."),
    "invalid-style": (
        "warning",
        "The style of a parameter is not defined for the parameter's location; the default style is used.",
    ),
    "nested-values": ("note", "The style of a parameter does not define how nested arrays and objects are sent."),
    "unsupported-method": ("warning", "mcpgen never makes tools of this HTTP method."),
    "invalid-media-type": ("warning", "A key under `content` is not a media type."),
    "unsupported-body": ("warning", "mcpgen cannot send any media type of the request body."),
    "invalid-security": ("warning", "A security requirement or security scheme is invalid or not supported."),
    "invalid-server": ("warning", "A server URL cannot be used."),
    "private-server": ("warning", "A server URL points into a private network."),
    "new-origin": (
        "warning",
        "Calls or credentials would go to an origin that you have not accepted with --accept-origin.",
    ),
    "base-url-path": ("note", "The base URL has no path, so the path of the document's server URL is kept."),
    "no-server": ("warning", "The document names no absolute server URL."),
    "credential-parameter": (
        "note",
        "A header parameter carries a credential or is set by HTTP itself; it is not an argument.",
    ),
    "secret-left-out": (
        "note",
        "A value of a document, such as an example or a default, may be a secret; mcpgen copies it nowhere.",
    ),
    "secret-constant": (
        "warning",
        "A fixed value of a request may be a secret, so it was left out; the server must read it from its environment.",
    ),
    "login-operation": (
        "warning",
        "An operation takes a password or returns an access token; it does not become a tool.",
    ),
    "fixed-confirmation": (
        "note",
        "The server sends a fixed parameter that confirms a destructive request, so the server asks the user first.",
    ),
    "duplicate-operation-id": ("warning", "Two operations have the same operationId."),
    "invalid-extension": ("warning", "A value under `x-mcp` is invalid."),
    "hidden-operation": ("note", "The document marks operations as hidden, so they do not become tools."),
    "body-required": (
        "note",
        "The document does not say whether a body with required members is required; mcpgen makes it required.",
    ),
    "schema-contradiction": ("warning", "Parts that a schema combines contradict each other; the last one is used."),
    "too-complex": (
        "warning",
        "Schemas are larger than mcpgen's limit; operations or output schemas that need them are left out.",
    ),
    "schema-cut": (
        "note",
        "A schema is too deep or too large for language models; it was cut, and its description says so.",
    ),
    "unchecked-pattern": (
        "note",
        "A pattern takes too much time or memory; the server does not validate values against it, but the API may.",
    ),
    "impossible-pattern": (
        "note",
        "A pattern matches nothing, or contradicts the format, default, example or enum beside it; the server does "
        "not validate values against it.",
    ),
    "date-mask": (
        "note",
        "A pattern is a mask for dates such as `YYYY-MM-DD` and no regular expression; the server does not validate "
        "values against it.",
    ),
    "foreign-pattern": (
        "note",
        "A pattern is not valid in ECMA 262 with the flag `u`; the server does not validate values against it.",
    ),
    "mended-pattern": (
        "note",
        "A pattern has slashes and flags, or needless backslashes, which were removed.",
    ),
    "branching-schema": (
        "warning",
        "Validating one value against a schema would take too many steps, so its tool is left out.",
    ),
    "large-tool": ("warning", "A tool costs more tokens than the limit, even in its shortest form."),
    "no-output-schema": (
        "note",
        "The document describes no JSON response from which mcpgen could derive an output schema.",
    ),
    "no-pages": (
        "note",
        "`pages: all` has no effect on a tool, because mcpgen cannot tell how its pages are requested.",
    ),
    "job-recognised": (
        "note",
        "An operation answers before its work has ended; the hint shows a `task` that lets the server wait for "
        "the result.",
    ),
    "no-lookup": (
        "note",
        "`lookups` has no effect on a tool, because no single tool certainly finds its ids.",
    ),
    "hidden-characters": (
        "warning",
        "A text contains invisible or direction-changing characters; they were removed where that is possible.",
    ),
    "text-gives-orders": ("warning", "A text gives instructions to a model instead of describing the API."),
    "name-of-host": ("warning", "A tool has the same name as a built-in tool of common MCP hosts."),
    "list-too-large": ("error", "The tool list is larger than the messages that clients accept."),
    "many-tools": ("warning", "The server has more tools than models and clients handle well."),
    # Findings about a tools file.
    "unknown-key": ("error", "The tools file has an unknown key."),
    "missing-key": ("error", "A required key is missing in the tools file."),
    "invalid-value": ("error", "A value in the tools file has the wrong type."),
    "invalid-name": ("error", "A name is invalid."),
    "duplicate-name": (
        "error",
        "Two tools, resources, prompts or skills have the same name, or two resources have the same URI.",
    ),
    "unknown-name": ("error", "The tools file refers to a name that is not defined."),
    "unused-argument": ("warning", "An argument of a prompt is declared, but no message of the prompt uses it."),
    "unused-variable": ("warning", "A variable is declared but no base URL uses it."),
    "unusable-file": ("error", "A file that the tools file names cannot be read or is not allowed."),
    "invalid-skill": ("error", "A skill has no valid front matter, or is larger than hosts accept."),
    "unknown-operation": ("error", "An override names an operation that does not exist."),
    "unknown-argument": ("error", "An override names an argument that does not exist."),
    "unused-override": ("warning", "An override is for an operation that was skipped or not selected."),
    "orphaned-override": ("warning", "An override is for an operation or an argument that the API no longer has."),
    "unused-selector": (
        "warning",
        "A selector selects nothing, or the tools file names a media type that no operation offers.",
    ),
    "unused-scheme": ("warning", "A security scheme is defined in the tools file but not used."),
    "broken-schema": ("error", "Because of a handwritten schema, clients would reject the whole tool list."),
    "invalid-header-name": ("error", "An `x-mcp-header` in a schema is invalid, so clients would drop the tool."),
    "written-schema": (
        "note",
        "A handwritten schema uses keywords that some clients or model providers do not accept.",
    ),
    "omitted-argument": (
        "warning",
        "A request lacks a part, or is refused, if a call leaves out an argument that `send` uses.",
    ),
    "respelled-name": (
        "note",
        "Arguments have names in ASCII letters, because clients do not accept the names that the API has.",
    ),
    "long-name": (
        "warning",
        "With the prefix that some MCP hosts add, the names of tools are longer than model providers accept.",
    ),
    "risky-argument": (
        "note",
        "Some agent frameworks fail on the name of an argument, or do not pass the argument on.",
    ),
    "asks-for-secret": ("error", "A question asks the user for a secret, or shows a secret from the environment."),
    # Findings about hooks.py of a project.
    "orphaned-hook": ("warning", "A hook in hooks.py is for a tool that does not exist."),
    "unreadable-hooks": ("warning", "The project's hooks.py is not valid Python."),
    # Findings about overlays.
    "invalid-overlay": ("error", "An overlay is invalid, so it cannot be applied."),
    "unused-overlay": ("warning", "An action of an overlay selects nothing, or there is no document for the overlay."),
    "foreign-overlay": ("note", "An overlay is for another document: its `extends` names that document."),
    # Findings about workflows. A workflow with one of these faults does not become a tool.
    "invalid-workflow": ("warning", "A workflow cannot be run as it is written."),
    "unsupported-workflow": ("warning", "A workflow needs XPath or AsyncAPI, which mcpgen does not support."),
    "unknown-call": ("warning", "A step of a workflow calls a tool, operation or workflow that does not exist."),
    "workflow-cycle": ("warning", "Workflows call each other in a circle."),
    "missing-argument": ("warning", "A step of a workflow does not give a tool an argument that it needs."),
    "unknown-step-argument": ("warning", "A step of a workflow gives a tool an argument that it does not have."),
    "unfit-argument": ("warning", "A step of a workflow gives an argument a value of another type."),
    "unknown-output": ("warning", "A workflow names an input, a step or an output that does not exist."),
    "undescribed-output": ("warning", "A workflow reads a part of an answer that no schema describes."),
    "unconfirmed-workflow": ("warning", "A workflow writes, and nobody is asked to confirm it."),
    # Findings about finished tools. Tools with one of the first three faults are left out of the server.
    "unportable-name": ("warning", "Clients would refuse the name of a tool, or another tool has the name."),
    "unportable-schema": ("warning", "A client or a model provider would refuse a schema."),
    "unbound-argument": (
        "warning",
        "An argument is not used in the request, or the request uses an argument that the tool does not have.",
    ),
    "over-budget": ("error", "A tool costs more tokens than --max-tokens allows."),
    # Findings about flags and the output directory.
    "invalid-flag": ("error", "A flag has an invalid value."),
    "output-refused": ("error", "The output directory contains files that mcpgen did not write."),
    "output-failed": ("error", "The output directory could not be read or written."),
    "output-unfinished": (
        "error",
        "Parts of the project are in temporary directories of an earlier mcpgen run that was killed.",
    ),
    "project-locked": ("error", "Another mcpgen command is changing the project."),
    "secret-file": (
        "error",
        "A file of a package would be published, but it is a key file, a backup, or holds a text that may be a secret.",
    ),
    "edited-file": ("error", "A generated file was edited by hand."),
    "no-project": ("error", "The directory does not contain a generated project."),
    "no-source": ("error", "The lock file of the project does not name a source that can be read again."),
    "older-compiler": ("warning", "The project was generated by a later version of mcpgen."),
    "pinned-version": ("warning", "The tools changed, but `server.version` in the tools file is the same as before."),
    "tables-unreadable": (
        "warning",
        "The project's earlier JSON files cannot be read, so changes are not graded and the version stays.",
    ),
    "merge-conflict": ("error", "Generated files of the project contain conflict marks of a merge."),
    "lock-missing": ("error", "The lock file of the project is missing."),
    "lock-rebuilt": ("warning", "The lock file of the project was missing, and was rebuilt from its JSON files."),
    "environment-failed": ("error", "The Python environment for a server could not be made."),
    "lock-unreadable": ("error", "The lock file of the project cannot be read."),
}
"""Every diagnostic code with its severity and its meaning. A published code never changes its meaning."""

# Whoever runs mcpgen wrote the tools file, and can correct it at once. Other people wrote the document.
_FAULTS_OF_WORKFLOWS = (
    *("invalid-workflow", "unsupported-workflow", "unknown-call", "workflow-cycle", "missing-argument"),
    *("unknown-step-argument", "unfit-argument", "unknown-output"),
)
SERIOUS_BY_HAND = frozenset(
    {
        *("broken-reference", "foreign-reference", "reference-loop", "invalid-path", "invalid-parameter"),
        *("invalid-style", "invalid-media-type", "unsupported-body", "unsupported-method", "invalid-security"),
        *("invalid-server", "unused-path-parameter", "unportable-schema", "unbound-argument", "duplicate-key"),
        *("branching-schema", "yaml-tag", "yaml-alias", "secret-constant", *_FAULTS_OF_WORKFLOWS),
    }
)
"""Codes that are errors in a tools file and only warnings in an API document.

Each of these findings loses an operation or a part of the input. The user has just written the tools file and can
correct it; the document usually comes from others.
"""


IN_THE_WAY = frozenset({"no-server", "invalid-server", "new-origin", "invalid-security"})
"""Warning codes that mean that calls of the generated server will fail.

Reports show these warnings directly after errors and skipped operations.
"""

FATAL_WITH_STRICT = frozenset({"hidden-characters", "broken-reference", "foreign-reference", *_FAULTS_OF_WORKFLOWS})
"""Warning codes for which `--strict` writes nothing, as it does for skipped operations.

These codes report text that reviewers cannot see, and schemas and workflows that are missing.
"""


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file, given by a JSON Pointer. `line` and `column` count from 1 and are None until they are looked
    up.
    """

    file: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None

    def inside(self, *tokens: str | int) -> "Where":
        """Return the place of a member below this place. The arguments are further reference tokens of the JSON
        Pointer.
        """
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

    def __post_init__(self) -> None:
        """Remove secrets from the message, which often quotes the text that is wrong."""
        if (message := without_secrets(self.message)) != self.message:
            object.__setattr__(self, "message", message)

    @property
    def severity(self) -> Severity:
        return "error" if self.by_hand and self.code in SERIOUS_BY_HAND else CODES[self.code][0]


class Diagnostics:
    """Collector to which compiler passes add their diagnostics; keeps their order."""

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
