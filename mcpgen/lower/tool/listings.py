"""Find the list of items in a response, and the argument that selects the page.

`GET /pets?page=2` returns a list, or an object that contains a list. For `pages: all`, the server needs to know the
argument that selects a page, and the place of the list in the response.
"""

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import SkipOperation
from mcpgen.base.jsonvalue import JsonObject, as_object, pointer
from mcpgen.base.names import alphanumeric, words
from mcpgen.base.runtime import page_arguments
from mcpgen.base.work import Exhausted
from mcpgen.lower.schema.compose import Composer, members, types
from mcpgen.lower.schema.media_types import encoding_of
from mcpgen.lower.schema.nodes import items_of
from mcpgen.model import Annotations, HttpBinding, Listing, Operation, Pages

MOST_ITEMS = 10_000
SENTENCE = "One call returns all pages, within limits, and says where it stopped."
"""What the description of a tool says whose calls fetch all pages."""

_USUAL = ("items", "results", "data", "values", "records", "entries", "elements", "rows", "objects", "content", "list")
_INNER = ("data", "result", "results", "response", "payload", "embedded")
_LINKS = ("link", "links")
DEPTH = 2

Items = tuple[str, JsonObject]
"""JSON Pointer to a list, and the schema of its items."""


def of_answer(operation: Operation, composer: Composer) -> Items | None:
    """Return the list of items in the successful response of an operation, or None if the schema does not certainly
    show which list it is.
    """
    schema = described(operation)
    if schema is None:
        return None
    composer.budget.begin()
    try:
        noun = words(operation.path.rstrip("/").rpartition("/")[2])
        return _list_in(schema, composer, "".join(noun), DEPTH)
    except (SkipOperation, Exhausted, RecursionError):
        return None


def described(operation: Operation) -> JsonObject | None:
    """Return the schema of the first successful response in JSON, or None if none is described."""
    for response in sorted(operation.responses, key=lambda each: each.status):
        for media_type in sorted(response.content, key=lambda each: each.name):
            if response.status[:1] == "2" and encoding_of(media_type.name) == "json" and media_type.schema:
                return media_type.schema
    return None


def _list_in(schema: JsonObject, composer: Composer, noun: str, depth: int) -> Items | None:
    node, _ = composer.node(schema)
    if "array" in types(node) or "items" in node:
        return "", items_of(node)
    lists, objects = [], []
    for name, member in members(node):
        inner, _ = composer.node(member)
        if "array" in types(inner) and alphanumeric(name) not in _LINKS:
            lists.append((name, items_of(inner)))
        elif "properties" in inner:
            objects.append((name, member))
    if len(lists) > 1:
        plain = {alphanumeric(name): (name, items) for name, items in lists}
        usual = next((plain[each] for each in (noun, *_USUAL) if each in plain), None)
        lists = [] if usual is None else [usual]
    if lists:
        return pointer("", lists[0][0]), lists[0][1]
    if depth <= 1:
        return None
    inner_lists = [(name, _list_in(member, composer, noun, depth - 1)) for name, member in objects]
    found = [(name, each) for name, each in inner_lists if each is not None]
    if len(found) > 1:
        found = [(name, each) for name, each in found if alphanumeric(name) in (noun, *_INNER)]
    if len(found) != 1:
        return None
    name, (inside, items) = found[0]
    return pointer("", name) + inside, items


def is_paged(binding: HttpBinding) -> bool:
    """Return True if a query parameter of a tool, or a member of its body, selects a page."""
    names = [alphanumeric(each.name) for each in binding.query if each.argument is not None]
    if binding.body is not None:
        names += [alphanumeric(each.name) for each in binding.body.fields if each.argument is not None]
    kinds = page_arguments.CURSOR, page_arguments.NUMBER, page_arguments.OFFSET
    return any(kind.fullmatch(name) for name in names for kind in kinds)


# Pages are joined before any other step, so that result rules, schemas and limits apply unchanged. The limit is 512 kB,
# because larger responses cannot be searched for the parts that `remove` names.
def derive(
    operation: Operation,
    hints: Annotations,
    binding: HttpBinding,
    of_server: Pages | None,
    composer: Composer,
    diagnostics: Diagnostics,
) -> Listing | None:
    """Return where responses hold the list if a call fetches all of its pages, or None if a call fetches one page."""
    if (operation.decided.pages or of_server) != "all":
        return None
    if not hints.read_only:
        why = "it may change something"
    elif operation.method == "HEAD":
        why = "its response has no body"
    elif not is_paged(binding):
        why = "none of its arguments selects a page"
    elif described(operation) is None:
        return Listing()
    elif (found := of_answer(operation, composer)) is None:
        why = "the document describes no list in its response"
    else:
        return Listing(found[0])
    if operation.decided.pages == "all":
        message = f"{operation.method} {operation.path} fetches only one page: {why}."
        diagnostics.add(
            "no-pages",
            message,
            operation.where,
            "Set `pages: one` for this tool, because only single pages are possible.",
        )
    return None


def item_of(items: JsonObject, composer: Composer) -> dict[str, JsonObject]:
    """Return the properties of the items of a list, with references and `allOf` resolved, or {} if they are not
    known.
    """
    composer.budget.begin()
    try:
        node, _ = composer.node(items)
        return {name: composer.node(as_object(member))[0] for name, member in members(node)}
    except (SkipOperation, Exhausted, RecursionError):
        return {}
