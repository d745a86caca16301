"""Split the arguments of a command line into flags and values, given a table of the program's flags. Convert header
fields that the existing server sends with every request to credentials. The values of the fields are never stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mcpgen.adopt.foreign import Credential, Remark
from mcpgen.base.diagnostics import Where
from mcpgen.base.names import clipped

_OWN_FIELDS = frozenset(
    [
        "accept", "accept-encoding", "accept-language", "connection", "content-type", "content-length", "host",
        "user-agent", "cache-control",
    ]
)  # fmt: skip
"""Header fields that a generated server sets itself."""

Arity = Literal["value", "values", "switch"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an MCP server program, from flags and environment variables. A flag takes precedence over a variable.

    `flags`: long flag without dashes → its values. `environ`: the environment variables that the program gets.
    `variables`: flag → the environment variable for the same setting.
    """

    flags: Mapping[str, list[str]]
    environ: Mapping[str, str]
    variables: Mapping[str, str]
    remarks: list[Remark] = field(default_factory=list)

    def text(self, flag: str) -> str:
        """Return the last value of a flag, or else the value of its environment variable; "" if neither is set."""
        return (self.flags.get(flag) or [""])[-1] or self.environ.get(self.variables.get(flag, ""), "")

    def texts(self, flag: str) -> list[str]:
        return self.flags.get(flag, [])

    def has(self, flag: str) -> bool:
        """Return True if a flag without a value is given, or its environment variable is true."""
        said = self.environ.get(self.variables.get(flag, ""), "").lower()
        return self.flags.get(flag, ["false"])[-1].lower() not in ("false", "no", "0") or said in ("true", "1", "yes")

    def source(self, flag: str) -> str:
        """Return the name of the flag or the environment variable that holds a setting."""
        variable = self.variables.get(flag, "")
        return f"--{flag}" if self.flags.get(flag) or not variable else variable

    def as_list(self, flag: str) -> frozenset[str] | None:
        """Return the items of a comma-separated list, or None if it is empty."""
        return frozenset(part.strip() for part in self.text(flag).split(",") if part.strip()) or None


def read(
    words: Sequence[str],
    arities: Mapping[str, Arity],
    short: Mapping[str, str],
    environ: Mapping[str, str],
    variables: Mapping[str, str],
    where: Where | None,
) -> Settings:
    """Parse the arguments of a command line into settings. Add a remark for each unknown flag, without its value."""
    flags: dict[str, list[str]] = {}
    unknown: list[Remark] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        flag = short.get(name, name.removeprefix("--")) if name.startswith("-") else ""
        if not flag:
            continue
        arity = arities.get(flag)
        if arity is None:
            unknown.append(
                Remark((f"adopt does not know the flag {clipped(name)} of the old server, and ignored it."), where)
            )
            while left and not left[0].startswith("-"):
                left.pop(0)
        elif equals:
            flags.setdefault(flag, []).append(value)
        elif arity == "switch":
            flags.setdefault(flag, []).append("true" if not left or left[0] not in ("true", "false") else left.pop(0))
        elif arity == "value":
            flags.setdefault(flag, []).append(left.pop(0) if left else "")
        else:
            while left and not left[0].startswith("-"):
                flags.setdefault(flag, []).append(left.pop(0))
    return Settings(flags, environ, variables, unknown)


def is_placeholder(text: str) -> bool:
    """Return True if a client or shell would replace the text, or part of it, by a value that `mcpgen adopt` does not
    know.
    """
    return "${" in text or "$(" in text or (text.startswith("$") and text[1:2].isalpha()) or text.startswith("<")


# -- header fields -----------------------------------------------------------------------------------------------------


def credentials(
    fields: Iterable[tuple[str, str, str]], remarks: list[Remark], where: Where | None
) -> tuple[Credential, ...]:
    """Return the credentials that header fields carry.

    Each field is a tuple: its name, the beginning of its value, and the variable or flag that holds the value.
    """
    found = []
    for name, value, held in fields:
        if name.lower() in _OWN_FIELDS:
            remarks.append(
                Remark(f"The header field {clipped(name)} is set by the new server itself, so it was left out.", where)
            )
            continue
        scheme = value.strip().partition(" ")[0].lower()
        if name.lower() == "authorization" and scheme == "basic":
            found.append(Credential("basic", {"username": held, "password": held}))
        elif name.lower() == "authorization" and scheme == "bearer":
            found.append(Credential("bearer", {"value": held}))
        else:
            found.append(Credential("apiKey", {"value": held}, "header", name))
    return tuple(found)
