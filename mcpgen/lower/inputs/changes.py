"""Apply the owner's changes of single arguments: names, descriptions, defaults, fixed values, hiding.

A change names the argument, or the parameter in the request. An impossible change is reported as an error at its line,
and the argument stays unchanged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object
from mcpgen.base.names import clipped, did_you_mean, near, nearest
from mcpgen.lower.inputs.bodies import BodyPlan
from mcpgen.lower.inputs.slots import FIELDS, REST, WHOLE, Input, Slot, filename_of
from mcpgen.model import ArgumentChange, Operation

_OF_BODY = ("body", "rest", "filename", "part")
_BESIDE = ("filename", "part", "result", "rest")
"""Places of inputs that a change can name only by the argument, not by a name in the request."""


@dataclass(slots=True)
class ChangedArguments:
    """The arguments of an operation after the owner's changes.

    `inputs`: the inputs that are arguments. `names`: slot (place in the request, parameter name) → argument name.
    `constants`: slot → fixed value. `places`: slot → the place of its default in the tools file. `sends_body`: True if
    every call sends a value in the body. `media_types`: slot → its new media type. `empty`: path parameters that may be
    empty. `used`: places of rules that changed an argument. `demanded`: slots that the owner makes required.
    """

    inputs: list[Input]
    names: dict[Slot, str]
    constants: dict[Slot, JsonValue]
    sends_body: bool = False
    places: dict[Slot, Where] = field(default_factory=dict)
    media_types: dict[Slot, str] = field(default_factory=dict)
    empty: set[Slot] = field(default_factory=set)
    used: set[Where] = field(default_factory=set)
    demanded: set[Slot] = field(default_factory=set)


def settled(
    operation: Operation,
    everything: Sequence[Input],
    inputs: Sequence[Input],
    names: Mapping[Slot, str],
    constants: Mapping[Slot, JsonValue],
    plan: BodyPlan | None,
    diagnostics: Diagnostics,
) -> ChangedArguments:
    """Return the arguments of `operation` after the changes in `operation.decided.arguments`.

    `everything`: all inputs of the operation. `inputs`: the inputs that become arguments; `names`: their argument
    names. `constants`: values of inputs that do not become arguments.
    """
    found = ChangedArguments([*inputs], dict(names), dict(constants))
    found.places = {entry.slot: operation.where for entry in inputs if entry.default is not None}
    if operation.decided.arguments:
        changing = _ArgumentChanger(operation, everything, found, dict(names), plan, diagnostics)
        for key, change in operation.decided.arguments.items():
            changing.change(key, change)
        changing.refuse_collisions()
    return found


# Defaults are listed by argument, so that the runtime applies all at one place, wherever an argument is sent.
def checked_defaults(found: ChangedArguments, schema: JsonObject, diagnostics: Diagnostics) -> dict[str, JsonValue]:
    """Return argument → its default. A default that does not match the schema of its argument is reported and left
    out.
    """
    defaults: dict[str, JsonValue] = {}
    for entry in found.inputs:
        if entry.default is not None:
            name, value = found.names[entry.slot], entry.default[0]
            defaults[name] = value
            if reason := misfit(schema, name, value):
                message = f"The default of {name} does not match its schema: {clipped(reason, 160)}."
                where = found.places.get(entry.slot)
                diagnostics.add(
                    "invalid-value",
                    message,
                    where,
                    "Correct the default. Otherwise every call without this argument fails.",
                )
    return defaults


def misfit(schema: JsonObject, name: str, value: JsonValue) -> str:
    """Return why `value` does not match the schema of the argument `name`, or "". `schema`: the input schema."""
    import jsonschema_rs  # imported here, since few documents have defaults that the server sends

    own = {**as_object(as_object(schema.get("properties")).get(name)), "$defs": schema.get("$defs", {})}
    validator = jsonschema_rs.Draft202012Validator(own, pattern_options=jsonschema_rs.RegexOptions())
    return next((error.message for error in validator.iter_errors(value)), "")


class _ArgumentChanger:
    """Applies the owner's changes of the arguments of one operation."""

    def __init__(
        self,
        operation: Operation,
        everything: Sequence[Input],
        found: ChangedArguments,
        names: Mapping[Slot, str],
        plan: BodyPlan | None,
        diagnostics: Diagnostics,
    ) -> None:
        self._operation = operation
        self._all = {entry.slot: entry for entry in (*everything, *found.inputs)}
        self._found = found
        self._names = names
        self._plan = plan
        self._diagnostics = diagnostics

    def change(self, key: str, change: ArgumentChange) -> None:
        """Apply `change` to one argument. `key`: name of the argument, or of its parameter in the request."""
        slots = self._meant(key)
        if change.by_rule:
            for slot in slots:
                self._found.used.add(change.where)
                self._change_one(slot, change)
            return
        if len({self._names.get(slot, slot) for slot in slots}) != 1:
            self._report_meaning(key, slots, change)
            return
        for slot in slots:
            self._change_one(slot, change)

    def _change_one(self, slot: Slot, change: ArgumentChange) -> None:
        self._rewrite(slot, change)
        if change.value is not None:
            self._fix(slot, change.value[0], change)
        elif change.hidden:
            self._hide(slot, change)
        else:
            self._alter(slot, change)

    def _rewrite(self, slot: Slot, change: ArgumentChange) -> None:
        """Record the media type that `change` gives a parameter, and whether it allows an empty path parameter.

        Report a media type or `allow_empty` that the parameter cannot have.
        """
        if change.media_type:
            declared = {(each.location, each.name) for each in self._operation.parameters if each.content is not None}
            if slot in declared:
                self._found.media_types[slot] = change.media_type
            else:
                message = f"{slot[1]} is not a parameter that the document declares with `content`."
                hint = "The parameter's `style` decides how it is sent. Change the style with an overlay."
                self._add("invalid-value", message, change.where.inside("media_type"), hint)
        if change.allow_empty:
            if slot[0] == "path":
                self._found.empty.add(slot)
            else:
                message = f"{slot[1]} is not a path parameter, and only path parameters can have `allow_empty`."
                self._add("invalid-value", message, change.where.inside("allow_empty"), "Remove `allow_empty`.")

    def refuse_collisions(self) -> None:
        """Report two arguments that have the same name after the owner's changes."""
        owners: dict[str, Slot] = {}
        for entry in self._found.inputs:
            name = self._found.names[entry.slot]
            other = owners.setdefault(name, entry.slot)
            if self._names.get(other, other) != self._names.get(entry.slot, entry.slot):
                renamed = [slot for slot in (entry.slot, other) if self._names.get(slot) != name]
                where = self._found.places.get(renamed[0], self._operation.where)
                message = f"Two arguments would be called {name}."
                self._add(
                    "duplicate-name", message, where.inside("name"), "Give one of the two arguments another name."
                )

    def _add(self, code: str, message: str, where: Where, hint: str = "") -> None:
        self._diagnostics.add(code, message, where, hint)

    def _meant(self, key: str) -> list[Slot]:
        by_name = [slot for slot, name in self._names.items() if name == key]
        return by_name or [slot for slot in self._all if slot[1] == key and slot[0] not in _BESIDE and slot != WHOLE]

    def _report_meaning(self, key: str, slots: list[Slot], change: ArgumentChange) -> None:
        where = change.where
        if slots:
            places = " and ".join(f"{self._names.get(slot, slot[1])} ({slot[0]})" for slot in slots)
            message = f"'{clipped(key)}' fits several arguments: {places}."
            self._add("unknown-argument", message, where, "Use the name of the argument that `mcpgen inspect` shows.")
            return
        request = f"{self._operation.method} {clipped(self._operation.path)}"
        names = dict.fromkeys([*self._names.values(), *(slot[1] for slot in self._all if slot[0] not in _BESIDE)])
        known = [name for name in names if name]
        if key in self._operation.decided.former_arguments:
            hint = did_you_mean(near(key, known))
            message = (
                f"{request} no longer has the argument '{clipped(key)}', so this entry of the override has no effect."
            )
            self._add(
                "orphaned-override",
                message,
                where,
                f"{hint} Otherwise, remove this entry from the override." if hint else "Remove this entry.",
            )
            return
        self._add("unknown-argument", f"{request} has no argument '{clipped(key)}'.", where, nearest(key, known))

    def _fix(self, slot: Slot, value: JsonValue, change: ArgumentChange) -> None:
        """Replace the argument of a parameter or body member by a fixed value that every call sends."""
        if slot in (REST, FIELDS) or slot[0] == "filename":
            message = (
                f"{self._names.get(slot, slot[1])} cannot have a fixed value, because it is only a part of another "
                "value in the request."
            )
            self._add("invalid-value", message, change.where, "Hide the argument, or give it a default.")
            return
        self._take_out(slot)
        self._found.constants[slot] = value
        self._found.sends_body |= slot[0] in _OF_BODY

    def _hide(self, slot: Slot, change: ArgumentChange) -> None:
        if change.default is not None:
            self._fix(slot, change.default[0], change)
        elif self._is_demanded(slot):
            name = self._names.get(slot, slot[1])
            message = f"{name} is required, so it cannot be left out."
            self._add(
                "invalid-value", message, change.where.inside("hide"), "Give the argument a `value`, or a `default`."
            )
        else:
            self._take_out(slot)
            self._found.constants.pop(slot, None)

    def _is_demanded(self, slot: Slot) -> bool:
        of_body = self._plan is not None and slot[0] == "body" and slot[1] in self._plan.required
        return self._all[slot].required or of_body

    def _take_out(self, slot: Slot) -> None:
        self._found.inputs[:] = [entry for entry in self._found.inputs if entry.slot != slot]
        self._found.names.pop(slot, None)

    def _alter(self, slot: Slot, change: ArgumentChange) -> None:
        """Apply a change of name, default, schema or `required` to an argument that is not hidden.

        A constant becomes an argument if the change gives it a default, a schema or `required: true`.
        """
        found = self._found
        if slot not in found.names:
            if change.default is None and change.schema is None and not change.required:
                message = f"{slot[1]} has only one possible value, which is always sent, so it is not an argument."
                self._add(
                    "invalid-value",
                    message,
                    change.where,
                    "Set another `value`, or remove this entry from the override.",
                )
                return
            found.inputs.append(self._all[slot])
            found.names[slot] = self._all[slot].wanted_name
            found.constants.pop(slot, None)
        found.places[slot] = change.where
        found.demanded |= {slot} if change.required else set()
        if change.required is False and slot[0] == "path":
            message = f"{found.names[slot]} is a path parameter, so every request needs it."
            hint = "Give the parameter a `default` or `allow_empty: true`, or change the path with an overlay."
            self._add("invalid-value", message, change.where.inside("required"), hint)
            change = replace(change, required=None)
        if change.name:
            self._rename_file_name(slot, change.name)
        found.names[slot] = change.name or found.names[slot]
        found.sends_body |= change.default is not None and slot[0] in _OF_BODY
        found.inputs[:] = [_altered(entry, change) if entry.slot == slot else entry for entry in found.inputs]

    def _rename_file_name(self, slot: Slot, name: str) -> None:
        """Rename the argument for a file's name after `name`, the new name of the argument for the file: `photo` gives
        `photo_filename`. If an earlier change concerned the argument for the file's name, that argument keeps its name.
        """
        beside: Slot = ("filename", slot[1])
        if slot[0] != "body" or beside not in self._found.names or beside in self._found.places:
            return
        renamed = filename_of(slot[1], name)
        self._found.names[beside] = renamed.wanted_name
        self._found.inputs[:] = [
            replace(entry, schema=renamed.schema) if entry.slot == beside else entry for entry in self._found.inputs
        ]


def _altered(entry: Input, change: ArgumentChange) -> Input:
    return replace(
        entry,
        description=change.description if change.description is not None else entry.description,
        required=entry.required and change.default is None if change.required is None else change.required,
        schema=entry.schema if change.schema is None else change.schema,
        default=change.default if change.default is not None else entry.default,
    )
