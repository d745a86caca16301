# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read command-line flags as arguments of a tool, according to the tool's input schema. Pure functions.

`--name VALUE` and `--name=VALUE` give a value: a string as it is, and a value of another type as JSON. A flag may be
repeated for the items of an array, and the flag of a boolean needs no value. A value that does not fit the schema is
passed on as text, and the server reports what is wrong with it.
"""

from __future__ import annotations

import difflib
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SCALARS = ("string", "integer", "number", "boolean")
MOST_VALUES = 8
"""Maximum number of enum values that a usage line lists."""

LONGEST_HELP = 300


class Misused(ValueError):
    """Raised if a flag cannot be read. The message is a sentence for the user."""


def read_flags(words: list[str], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that the words of a command line give. Raise Misused if a flag cannot be read."""
    members = schema.get("properties", {})
    found: dict[str, Any] = {}
    at = 0
    while at < len(words):
        word = words[at]
        if not word.startswith("--"):
            raise Misused(f"{word!r} belongs to no flag: write --NAME VALUE.")
        name, equals, given = word[2:].partition("=")
        at += 1
        member = _member(name, members)
        if member is None:
            negated = _member(name[3:], members) if name.startswith("no-") else None
            if negated is None or equals or not _is(members[negated], "boolean"):
                raise Misused(_unknown(name, members))
            found[negated] = False
            continue
        if not equals and _is(members[member], "boolean") and (at == len(words) or words[at].startswith("--")):
            found[member] = True
            continue
        if not equals:
            if at == len(words):
                raise Misused(f"--{name} needs a value.")
            given = words[at]
            at += 1
        _add(found, member, given, members[member])
    return found


def _add(found: dict[str, Any], name: str, given: str, schema: dict[str, Any]) -> None:
    """Add a flag's value to `found`, the arguments read so far.

    For an array argument, append the value as one item. A JSON array (`[...]`) is the whole argument instead. Raise
    Misused if an argument gets a second value that is no item.
    """
    if _is(schema, "array") and not given.lstrip().startswith("["):
        value = _value(given, schema.get("items", {}))
        if isinstance(found.get(name), list):
            found[name].append(value)
        else:
            found[name] = [value]
        return
    if name in found:
        raise Misused(f"--{name} is given twice, and takes one value.")
    found[name] = _value(given, schema)


def _value(text: str, schema: dict[str, Any]) -> Any:
    """Return the value that a text represents according to a schema, or the text itself if the schema accepts only
    strings.
    """
    kinds = set(types(schema))
    if kinds <= {"string"} and kinds:
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, str) and "string" in kinds else value


def read_text(text: str, schema: dict[str, Any]) -> Any:
    """Return the value that the user's text represents in a form field. Commas separate several choices."""
    if _is(schema, "array"):
        return [part.strip() for part in text.split(",") if part.strip()]
    if _is(schema, "boolean"):
        said = text.strip().casefold()
        return True if said in ("y", "yes", "true") else False if said in ("n", "no", "false") else text
    return _value(text, schema)


def types(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the JSON types that a schema and its alternatives name. If none is yielded, the schema accepts any type."""
    declared = schema.get("type")
    yield from [declared] if isinstance(declared, str) else declared or ()
    for key in ("anyOf", "oneOf"):
        for alternative in schema.get(key, ()):
            yield from types(alternative)


def _is(schema: dict[str, Any], kind: str) -> bool:
    found = [each for each in types(schema) if each != "null"]
    return bool(found) and all(each == kind for each in found)


def _member(name: str, members: dict[str, Any]) -> str | None:
    """Return the argument that a flag names, or None.

    `--pet-id` means the argument pet_id or petId if no argument is named pet-id.
    """
    if name in members:
        return name
    found = [each for each in members if _folded(each) == _folded(name)]
    return found[0] if len(found) == 1 else None


def _folded(name: str) -> str:
    return name.replace("-", "").replace("_", "").casefold()


def _unknown(name: str, members: dict[str, Any]) -> str:
    near = difflib.get_close_matches(name.replace("-", "_"), members, 1)
    hint = f" Did you mean --{near[0]}?" if near else " --help shows the flags of the tool."
    return f"--{name} is not an argument.{hint}"


def usage(tool: dict[str, Any]) -> list[str]:
    """Return the lines of a tool's help: what it does, and a line or two for each flag."""
    schema = tool.get("inputSchema", {})
    required = schema.get("required", [])
    lines = [tool.get("title") or tool["name"], "", *_wrapped(tool.get("description", ""))]
    members = schema.get("properties", {})
    for title, names in (("Required", required), ("Optional", [name for name in members if name not in required])):
        if names:
            lines += ["", f"{title}:"]
        for name in names:
            member = members.get(name, {})
            lines.append(f"  --{name} {_shape(member)}".rstrip())
            lines += [f"      {line}" for line in _wrapped(_said(member)[:LONGEST_HELP])]
    return lines


def _said(member: dict[str, Any]) -> str:
    default = f" Default: {member['default']}." if "default" in member else ""
    return f"{member.get('description', '')}{default}".strip()


def _shape(schema: dict[str, Any]) -> str:
    """Return the placeholder that the usage shows for a value, such as `INTEGER`, `a|b|c` or `JSON`."""
    if values := schema.get("enum"):
        shown = "|".join(str(value) for value in values[:MOST_VALUES])
        return shown + ("|..." if len(values) > MOST_VALUES else "")
    if _is(schema, "boolean"):
        return ""
    if _is(schema, "array"):
        return f"{_shape(schema.get('items', {})) or 'BOOLEAN'} (repeatable)"
    kinds = [kind for kind in dict.fromkeys(types(schema)) if kind != "null"]
    return kinds[0].upper() if len(kinds) == 1 and kinds[0] in SCALARS else "JSON"


def _wrapped(text: str) -> list[str]:
    import textwrap  # imported here: only needed for help

    return [line for part in text.splitlines() for line in textwrap.wrap(part, 96)]
