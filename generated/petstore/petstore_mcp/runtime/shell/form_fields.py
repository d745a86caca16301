# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Fill in a form that the server sends to its user (elicitation): from flags, else from the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .flags import read_text

if TYPE_CHECKING:
    from collections.abc import Callable


class FormFiller:
    """Source of the user's values for the server's forms.

    `given` holds the values that flags have set. `read(text)` shows a text and returns the line that the user types.
    `read` is None if there is no terminal.
    """

    def __init__(self, given: dict[str, Any], read: Callable[[str], str] | None, say: Callable[[str], None]) -> None:
        self._given = given
        self._read = read
        self._say = say
        self.lacking: list[str] = []

    def fill(self, message: str, schema: dict[str, Any]) -> dict[str, Any] | None:
        """Return the values for a form, from flags or else from the user. Return None if the user does not answer.

        The value of a flag is used for one form only, not for a later form with the same field.
        """
        fields, required = schema["properties"], schema.get("required", ())
        found = {name: self._given.pop(name) for name in fields if name in self._given}
        left = {name: field for name, field in fields.items() if name not in found}
        if self._read is None:
            self.lacking = [name for name in left if name in required and "default" not in left[name]]
            if self.lacking:
                self._say(message)
            return None if self.lacking else found
        if left:
            self._say(message)
        for name, field in left.items():
            typed = self._read(_prompt(name, field, name in required))
            if not typed and name in required and "default" not in field:
                return None
            if typed:
                found[name] = read_text(typed, field)
        return found


def _prompt(name: str, field: dict[str, Any], required: bool) -> str:
    """Return the prompt for one field: its title, its choices and its default."""
    items = field.get("items", field)
    titled = {each["const"]: each["title"] for key in ("oneOf", "anyOf") for each in items.get(key, ())}
    choices = [f"{value} ({title})" for value, title in titled.items()] or items.get("enum", [])
    parts = [field.get("title") or name, f"[{', '.join(choices)}]" if choices else ""]
    parts.append("several, with commas between" if field["type"] == "array" else "")
    parts.append(f"default {field['default']}" if "default" in field else "" if required else "optional")
    return " ".join(filter(None, parts)) + ": "
