"""Derive how clients with the extension MCP Apps show the results of tools, and write the application that shows them.

A view is a table for a list, a card for one item, or a form for a call whose response says nothing. It comes from the
schema of the successful response, and from what the project's owner decided (`view`). A view of a tool that changes
something names the tool that reads the same path, so that people see the state before the call.

The columns of a view are the members of an item that people want to see: its name, its state, dates, amounts of money,
and a link. The choice uses names, types and descriptions of the document. The application shows most values by what
they are, such as a URL or an ISO date. A column says how its value is shown only where the value itself does not.

The application is the same in every project: `application/` has its page, style and scripts. The runtime's
`views/views.py` gives views and application to clients.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, without_empty
from mcpgen.base.names import alphanumeric
from mcpgen.base.work import Budget, Exhausted
from mcpgen.lower.schema.compose import PART, RUN, Composer, types
from mcpgen.lower.tool import listings
from mcpgen.model import Catalog, ToolSpec
from mcpgen.model.options import Options
from mcpgen.read.toolsfile import ToolsFile

_VARIABLE = re.compile(r"\{[^{}]*\}")
_ORIGIN = re.compile(r"https://[a-z0-9.-]+(:[0-9]{1,5})?")
"""Pattern of an origin of pictures. The tools file's schema reports others."""

_NONE = "none"
"""Kind of view of a tool that has none."""

_Readers = Mapping[tuple[str, str], ToolSpec]
"""Document and path, without the names of variables → the tool that reads this path."""

_MOST_IN_TABLE, _MOST_IN_CARD = 6, 12
_LONGEST_NAME = 100
_MOST_VALUES = 30

_NAME = re.compile(
    r"(display|full|company|business|user|file|first|last|short|original|legal)?name|title|label|subject|summary|login"
    r"|headline|symbol"
)
_LIKE_NAME = re.compile(r".*name")
_ID = re.compile(
    r"id|uuid|guid|key|(invoice|order|ticket|case|account|document|reference)?number|code|slug|sku|ref(erence)?"
)
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
    r".*(description|body|content|html|text|notes?|message|markdown|readme|patch|sha|hash|token|secret|password|etag)"
)
_EPOCH = re.compile(r"\b(unix|epoch)\b", re.IGNORECASE)
_MILLISECONDS = re.compile(r"milli|\bms\b", re.IGNORECASE)
_CENTS = re.compile(r"\bcents?\b|(smallest|minor) (currency )?units?", re.IGNORECASE)

_ROLES = ("name", "party", "state", "date", "money", "other", "link", "image")
"""Roles of members, in the order of columns. `party`: the name of an object inside, such as a customer's."""

_SHARES = {"name": 2, "party": 1, "state": 2, "date": 2, "money": 1, "link": 1, "image": 0}
"""How many columns of a table may have a role; of a card, twice as many. Others fill what is left."""


def with_views(
    catalog: Catalog, definitions: Mapping[str, JsonObject], wanted: Options, files: Iterable[ToolsFile]
) -> Catalog:
    """Return `catalog` with a view for each tool that is wanted to have one, or on whose view the owner decided.

    `definitions`: the named schemas to which schemas of responses refer. `files`: tools files, the strongest first.
    """
    if not wanted.views and all(tool.operation.decided.view is None for tool in catalog.tools):
        return catalog
    composer = Composer(definitions, Budget(RUN, PART))
    readers = {_place(tool): tool for tool in reversed(catalog.tools) if _reads(tool)}
    views = [without_empty(view=_view(tool, readers, composer, wanted=wanted.views)) for tool in catalog.tools]
    tools = tuple(replace(tool, extra=tool.extra | view) for tool, view in zip(catalog.tools, views, strict=True))
    named = (map(str, as_list(each.unread.get("pictures"))) for each in files)
    pictures = next(filter(None, (tuple(filter(_ORIGIN.fullmatch, each)) for each in named)), ())
    return replace(catalog, tools=tools, extra=catalog.extra | without_empty(views=any(views), pictures=pictures))


def _view(tool: ToolSpec, readers: _Readers, composer: Composer, *, wanted: bool) -> JsonObject | None:
    """Return the view of a tool as `bindings.json` has it, or None if the tool has none."""
    decided = tool.operation.decided.view
    if (decided is None and not wanted) or (decided or {}).get("kind") == _NONE:
        return None
    decided = decided or {}
    kind, items, item = _shape(tool, composer)
    view: JsonObject = {"kind": decided.get("kind", kind)}
    most = _MOST_IN_TABLE if view["kind"] == "table" else _MOST_IN_CARD
    names = [str(each) for each in as_list(decided.get("columns"))]
    found = _named(names, item, composer) if names else _chosen(item, composer, most)
    return {**view, **without_empty(title=decided.get("title"), items=items, columns=found), **_before(tool, readers)}


def _shape(tool: ToolSpec, composer: Composer) -> tuple[str, str, dict[str, JsonObject]]:
    """Return the kind of view for a tool's results, the place of the list or object, and the members of an item.

    The place is "" for the whole response, and if the document does not say it: the application then searches it.
    """
    schema, rules = listings.described(tool.operation), tool.operation.decided.result
    if schema is None or (rules is not None and (rules.select is not None or rules.replaces)):
        return "card" if tool.annotations.read_only or schema is not None else "form", "", {}
    try:
        if (found := listings.of_answer(tool.operation, composer)) is not None:
            place, items = found
            if not any(map(_is_one, _around(place, schema, composer))):
                is_of_one = place and tool.operation.path.endswith("}") and tool.annotations.read_only
                return "card" if is_of_one else "table", place, listings.item_of(items, composer)
        return "card", *_object_in(schema, composer)
    except (SkipOperation, Exhausted, RecursionError):
        return "card", "", {}


def _around(place: str, schema: JsonObject, composer: Composer) -> Iterator[dict[str, JsonObject]]:
    """Yield the members of each object on the way from a response to the list in it."""
    for step in place.split("/")[1:]:
        found = listings.item_of(schema, composer)
        yield found
        schema = found[step.replace("~1", "/").replace("~0", "~")]


def _before(tool: ToolSpec, readers: _Readers) -> JsonObject:
    """Return the members of a view about the tool that reads what a call changes; {} if there is none."""
    reader = readers.get(_place(tool))
    if tool.annotations.read_only or reader is None or "{" not in tool.operation.path:
        return {}
    ours = dict(enumerate(_in_path(tool)))
    arguments: JsonObject = {name: ours[index] for index, name in enumerate(_in_path(reader)) if index in ours}
    needed = {*map(str, as_list(as_object(reader.input_schema).get("required")))}
    return {"before": reader.name, "given": arguments} if arguments and needed <= arguments.keys() else {}


def _in_path(tool: ToolSpec) -> list[str]:
    """Return the names of the arguments in the path of a tool, in their order."""
    parts = (part for part in tool.binding.path if not isinstance(part, str))
    return [part.argument for part in parts if part.argument is not None]


def _reads(tool: ToolSpec) -> bool:
    return tool.operation.method == "GET" and tool.annotations.read_only and tool.confirm == "never"


def _place(tool: ToolSpec) -> tuple[str, str]:
    return tool.operation.document, _VARIABLE.sub("{}", tool.operation.path)


# -- Columns -----------------------------------------------------------------------------------------------------------


def _chosen(item: Mapping[str, JsonObject], composer: Composer, most: int) -> list[JsonValue]:
    """Return up to `most` columns for an item with the members `item` (name → schema)."""
    found: dict[str, list[JsonValue]] = {role: [] for role in _ROLES}
    has_currency = any(_CURRENCY.fullmatch(alphanumeric(name)) for name in item)
    for name, node in sorted(item.items(), key=lambda each: _rank(each[0])):
        role, shows, path = _judged(name, node, composer, has_currency=has_currency)
        if role:
            found[role].append(_column(path, shows))
    if not found["name"]:
        scalars = sorted((name for name, node in item.items() if _is_scalar(node)), key=_rank)
        fitting = (name for like in (_LIKE_NAME, _ID) for name in scalars if like.fullmatch(alphanumeric(name)))
        found["name"] = list[JsonValue](_column(name, "") for name in islice(fitting, 1))
        found["other"] = [each for each in found["other"] if each not in found["name"]]
    times = most // _MOST_IN_TABLE
    found = {role: each[: times * _SHARES.get(role, most)] for role, each in found.items()}
    usual = sum(len(each) for role, each in found.items() if role != "other")
    found["other"] = found["other"][: max(0, most - usual)]
    return [column for role in _ROLES for column in found[role]][:most]


def _named(names: Iterable[str], item: Mapping[str, JsonObject], composer: Composer) -> list[JsonValue]:
    """Return the columns that the project's owner names, as paths of names with dots between them."""
    has_currency = any(_CURRENCY.fullmatch(alphanumeric(name)) for name in item)
    found = []
    for path in names:
        node = item.get(path)
        shows = "" if node is None else _judged(path, node, composer, has_currency=has_currency)[1]
        found.append(_column(path, shows))
    return list[JsonValue](found)


def _column(path: str, shows: str) -> JsonObject:
    return {"name": path, **without_empty(shows=shows)}


def _judged(name: str, node: JsonObject, composer: Composer, *, has_currency: bool) -> tuple[str, str, str]:
    """Return the role of a member, how its values are shown, and its path. The role is "" for a member that no view
    chooses, and the second text "" if a value says itself how it is shown.
    """
    if node.get("writeOnly") is True or not 0 < len(name) <= _LONGEST_NAME or "." in name:
        return "", "", name
    kinds, plain, said = {*types(node)} - {"null"}, alphanumeric(name), as_text(node.get("description"))
    if not kinds & {"string", "number", "integer", "boolean"}:
        inner = listings.item_of(node, composer) if "properties" in node else {}
        names = (each for each in sorted(inner, key=_rank) if _is_scalar(inner[each]) and "." not in each)
        inside = next((each for each in names if _NAME.fullmatch(alphanumeric(each))), "")
        return ("party", "", f"{name}.{inside}") if inside else ("", "", name)
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


_FIRST = (
    *("name", "title", "displayname", "fullname", "subject", "summary", "login", "username"),
    *("number", "id", "status", "state", "priority", "type", "date", "duedate", "createdat", "created", "updatedat"),
    *("updated", "htmlurl", "weburl", "url", "total", "amount", "email"),
)
"""Names without case and punctuation, the most usual first."""


def _rank(name: str) -> tuple[int, str]:
    plain = alphanumeric(name)
    return (_FIRST.index(plain) if plain in _FIRST else len(_FIRST), name)


def _is_scalar(node: JsonObject) -> bool:
    return bool({"string", "number", "integer"} & {*types(node)})


def _is_one(item: Mapping[str, JsonObject]) -> bool:
    """Return True if an object with these members is one item, and no page of a list: it has a name or an id."""
    return any(
        _is_scalar(node) and (alphanumeric(name) in ("id", "uuid") or _NAME.fullmatch(alphanumeric(name)))
        for name, node in item.items()
    )


def _object_in(schema: JsonObject, composer: Composer) -> tuple[str, dict[str, JsonObject]]:
    """Return the JSON Pointer to the object that a response describes, and its members.

    APIs wrap an object in one member: `{"data": {…}}`.
    """
    found = listings.item_of(schema, composer)
    inner = [(name, node) for name, node in found.items() if "properties" in node]
    if len(inner) == 1 and not _is_one(found):
        name, node = inner[0]
        return "/" + name.replace("~", "~0").replace("/", "~1"), listings.item_of(node, composer)
    return "", found


# -- The application ---------------------------------------------------------------------------------------------------

_HERE = Path(__file__).parent / "application"
_SCRIPTS = ("elements", "host", "values", "result", "table", "card", "form", "changes", "main")
"""Names of the scripts, in the order of the page: a script uses only functions of earlier scripts."""


# The client adds a policy of its own. This one allows only the style and the script of the page, by their hashes, so
# that no text of a result could become a script even if it became markup. The runtime adds the origins of pictures.
def application() -> bytes:
    """Return the HTML page that shows views, as UTF-8."""
    style = _read("page.css")
    script = '"use strict";\n' + "\n".join(_read(f"{name}.js") for name in _SCRIPTS)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _read("page.html")
    for name, text in (("policy", policy), ("style", style), ("script", script)):
        page = page.replace(f"{{{{{name}}}}}", text)
    return page.encode()


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the SHA-256 of `text` in the form of a Content-Security-Policy (CSP 3, section 2.3.1)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
