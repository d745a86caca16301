"""Build the JSON output of `diff`; `shape.schema.json` beside this module is its JSON Schema."""

from collections.abc import Sequence

from mcpgen.base.diagnostics import Diagnostic
from mcpgen.base.jsonvalue import JsonObject, as_object
from mcpgen.cli import differences, report
from mcpgen.cli.diff.sides import Side
from mcpgen.regenerate.diff import Difference


def document(old: Side, new: Side, difference: Difference, errors: Sequence[Diagnostic]) -> JsonObject:
    """Return the JSON output of `diff`: both versions, all changes, skipped operations and errors.

    The caller adds the member `schema`, the version of the output format.
    """
    skipped = new.compiled.catalog.skipped if new.compiled is not None else ()
    return {
        "old": _side(old),
        "new": _side(new),
        "summary": differences.summary_json(difference),
        "changes": differences.changes_json(difference),
        "skipped": [report.skipped_json(entry) for entry in skipped],
        "diagnostics": [report.diagnostic_json(error) for error in errors],
    }


def _side(side: Side) -> JsonObject:
    return {
        "source": side.source,
        "kind": "project" if side.compiled is None else "document",
        "name": as_object(side.surface.header.get("server")).get("name"),
        "version": side.version,
        "tools": len(side.surface.tools),
    }
