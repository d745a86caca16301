"""Choose the members of an item that people want to see: its name, its state, dates, amounts of money, and a link.

The choice uses names, types and descriptions of the document. The application shows most values by what they are, such
as a URL or an ISO date. A column says how its value is shown only where the value itself does not.
"""

import re
from collections.abc import Iterable, Mapping

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_text
from mcpgen.base.names import alphanumeric
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.lower.tool import listings

MOST_IN_TABLE, MOST_IN_CARD = 6, 12
_LONGEST_NAME = 100
_MOST_VALUES = 30

_NAME = re.compile(
    r"(display|full|company|business|user|file|first|last|short|original|legal)?name|title|label|subject|summary|login"
    r"|headline|symbol"
)
_ID = re.compile(r"id|uuid|guid|key|number|code|slug|sku|reference|ref")
_STATE = re.compile(r".*(status|state)|priority|severity|visibility|type|kind|category")
_DATE = re.compile(
    r".*(date|time|timestamp|(created|updated|modified|deleted|started|finished|completed|published|closed|opened|due"
    r"|expires|starts|ends|sent|paid|merged|pushed)(at|on)?)|.*(created|updated|modified)(date)?(time)?(utc)?"
)
_MONEY = re.compile(
    r".*(price|amount|cost|fee|balance|salary|subtotal|revenue)|(amount|balance|price|cost|fee)\w*"
    r"|total(tax|due|paid)?|tax|payout"
)
_CURRENCY = re.compile(r"currency(iso)?(code)?|iso4217")
_LINK = re.compile(r"(html|web|page|self|public|permalink)?(url|uri|link|href|website|homepage|permalink)")
_IMAGE = re.compile(r".*(avatar|image|logo|thumbnail|photo|picture|icon|poster)(s?(url|uri|src|href|link|path))?")
_LONG = re.compile(
    r".*(description|body|content|html|text|notes?|message|markdown|readme|patch|sha|hash|token|secret|etag)"
)
_EPOCH = re.compile(r"\b(unix|epoch)\b", re.IGNORECASE)
_MILLISECONDS = re.compile(r"milli|\bms\b", re.IGNORECASE)
_CENTS = re.compile(r"\bcents?\b|(smallest|minor) (currency )?units?", re.IGNORECASE)

ROLES = ("name", "state", "date", "money", "other", "link", "image")
"""Roles of members, in the order of columns."""

_SHARES = {"name": 2, "state": 2, "date": 2, "money": 2, "link": 1, "image": 0}
"""How many columns of a table may have a role. Others fill what is left."""


def chosen(item: Mapping[str, JsonObject], composer: Composer, most: int) -> list[JsonValue]:
    """Return up to `most` columns for an item with the members `item` (name → schema)."""
    found: dict[str, list[JsonValue]] = {role: [] for role in ROLES}
    has_currency = any(_CURRENCY.fullmatch(alphanumeric(name)) for name in item)
    for name, node in sorted(item.items(), key=lambda each: _rank(each[0])):
        role, shows, path = _judged(name, node, composer, has_currency=has_currency)
        if role:
            found[role].append(_column(path, shows))
    if not found["name"]:
        ids = [name for name, node in item.items() if _ID.fullmatch(alphanumeric(name)) and _is_scalar(node)]
        found["name"] = [_column(name, "") for name in sorted(ids, key=lambda name: (_rank(name), name))[:1]]
        found["other"] = [each for each in found["other"] if each not in found["name"]]
    if most <= MOST_IN_TABLE:
        found = {role: each[: _SHARES.get(role, most)] for role, each in found.items()}
    usual = sum(len(each) for role, each in found.items() if role != "other")
    found["other"] = found["other"][: max(0, most - usual)]
    return [column for role in ROLES for column in found[role]][:most]


def named(names: Iterable[str], item: Mapping[str, JsonObject], composer: Composer) -> list[JsonValue]:
    """Return the columns that the project's owner names, as paths of names with dots between them."""
    has_currency = any(_CURRENCY.fullmatch(alphanumeric(name)) for name in item)
    found = []
    for path in names:
        node = item.get(path)
        shows = "" if node is None else _judged(path, node, composer, has_currency=has_currency)[1]
        found.append(_column(path, shows))
    return list[JsonValue](found)


def _column(path: str, shows: str) -> JsonObject:
    return {"name": path, **({"shows": shows} if shows else {})}


def _judged(name: str, node: JsonObject, composer: Composer, *, has_currency: bool) -> tuple[str, str, str]:
    """Return the role of a member, how its values are shown, and its path. The role is "" for a member that no view
    chooses, and the second text "" if a value says itself how it is shown.
    """
    if node.get("writeOnly") is True or len(name) > _LONGEST_NAME or "." in name:
        return "", "", name
    kinds, plain, said = {*types(node)} - {"null"}, alphanumeric(name), as_text(node.get("description"))
    if not kinds & {"string", "number", "integer", "boolean"}:
        return *_inner(name, node, composer), _path_inside(name, node, composer)
    if kinds & {"integer", "number"}:
        return *_number(plain, node, said, kinds, has_currency=has_currency), name
    if "string" in kinds:
        return *_text(plain, node, has_currency=has_currency), name
    return "other", "", name


def _number(plain: str, node: JsonObject, said: str, kinds: set[str], *, has_currency: bool) -> tuple[str, str]:
    if node.get("format") == "unix-time" or _EPOCH.search(said):
        return "date", "milliseconds" if _MILLISECONDS.search(said) else "seconds"
    if _MONEY.fullmatch(plain):
        if _CENTS.search(said):
            return "money", "cents"
        if "number" in kinds and (has_currency or plain not in ("total", "tax")):
            return "money", "money"
    return "other", ""


def _text(plain: str, node: JsonObject, *, has_currency: bool) -> tuple[str, str]:
    values, form = as_list(node.get("enum")), as_text(node.get("format"))
    if form in ("date", "date-time") or (_DATE.fullmatch(plain) and not values):
        return "date", ""
    if _IMAGE.fullmatch(plain):
        return "image", "image"
    if form in ("uri", "url") or _LINK.fullmatch(plain):
        return ("link", "") if _LINK.fullmatch(plain) else ("", "")
    if 0 < len(values) <= _MOST_VALUES or (_STATE.fullmatch(plain) and not values):
        return ("state", "badge") if _STATE.fullmatch(plain) else ("other", "badge")
    if _MONEY.fullmatch(plain) and has_currency:
        return "money", "money"
    if _NAME.fullmatch(plain):
        return "name", ""
    return ("", "") if _LONG.fullmatch(plain) or form in ("byte", "binary", "password") else ("other", "")


def _inner(name: str, node: JsonObject, composer: Composer) -> tuple[str, str]:
    return ("other", "") if _path_inside(name, node, composer) != name else ("", "")


def _path_inside(name: str, node: JsonObject, composer: Composer) -> str:
    """Return the path to the name of an object that a member holds, such as `owner.login`, or the member's own name."""
    if "object" in types(node) or "properties" in node:
        inner = sorted(each for each in listings.item_of(node, composer) if _NAME.fullmatch(alphanumeric(each)))
        inner = sorted(inner, key=lambda each: _rank(each))
        if inner and "." not in inner[0]:
            return f"{name}.{inner[0]}"
    return name


_FIRST = (
    *("name", "title", "displayname", "fullname", "subject", "summary", "login", "username"),
    *("status", "state", "id", "number", "priority", "type", "date", "duedate", "createdat", "created", "updatedat"),
    *("updated", "htmlurl", "weburl", "url", "total", "amount", "email"),
)
"""Names without case and punctuation, the most usual first."""


def _rank(name: str) -> tuple[int, str]:
    plain = alphanumeric(name)
    return (_FIRST.index(plain) if plain in _FIRST else len(_FIRST), name)


def _is_scalar(node: JsonObject) -> bool:
    return bool({"string", "number", "integer"} & {*types(node)})


def is_one(item: Mapping[str, JsonObject]) -> bool:
    """Return True if an object with these members is one item, and no page of a list: it has a name or an id."""
    return any(
        _is_scalar(node) and (alphanumeric(name) in ("id", "uuid") or _NAME.fullmatch(alphanumeric(name)))
        for name, node in item.items()
    )


def object_in(schema: JsonObject, composer: Composer) -> tuple[str, dict[str, JsonObject]]:
    """Return the JSON Pointer to the object that a response describes, and its members.

    APIs wrap an object in one member: `{"data": {…}}`.
    """
    found = listings.item_of(schema, composer)
    inner = [(name, node) for name, node in found.items() if "properties" in node]
    if len(inner) == 1 and not is_one(found):
        name, node = inner[0]
        return "/" + name.replace("~", "~0").replace("/", "~1"), {
            key: composer.node(each)[0] for key, each in members(node)
        }
    return "", found
