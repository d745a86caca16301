"""Print the requests that Google's own Python client makes for Discovery documents.

Run this in the client's environment.

Arguments: a seed, a number of calls for each method, and names of documents such as `drive.v3`. The first line of the
output is `{"folder": PATH}`, the folder of the client's package that contains the documents. Each further line is one
call, as JSON: the document, the id of the method, its parameters and body, and the request or the client's error. With
the argument `list`, only the first line is printed.
"""

import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

carried: Any = import_module("googleapiclient.discovery_cache.documents")
client: Any = import_module("googleapiclient.discovery")
mock: Any = import_module("googleapiclient.http")
Json = dict[str, Any]
FOLDER = Path(next(iter(carried.__path__)))
TEXTS = ["plain", "two words", "a/b?c=d&e#f", "100%", "Straße", "x+y", "semi;colon,comma", 'quote"d', "日本"]
SEGMENTS = ["a1", "with space", "ü", "50%", "q?x", "c#d", "at@x", "a+b", "colon:x"]
UNRESERVED = [text for text in SEGMENTS if not set(text) & set("?#%")]
"""Values for `{+name}`. The client writes reserved characters of such values unchanged, even those that end a path."""
FORMATS = {"int64": "9007199254740993", "uint64": "18446744073709551615", "byte": "aGk=", "date": "2026-01-02"}


def drawn(schema: Json, schemas: Json, chance: random.Random, depth: int) -> Any:
    """Return a random value of the schema, or None if a value needs more levels than `depth`."""
    if "$ref" in schema:
        return drawn(schemas[schema["$ref"]], schemas, chance, depth)
    kind = schema.get("type", "object")
    if schema.get("enum"):
        return chance.choice(schema["enum"])
    if kind == "string":
        usual = "2026-01-02T03:04:05Z" if "date" in schema.get("format", "") else chance.choice(TEXTS)
        return FORMATS.get(schema.get("format", ""), usual)
    if kind == "integer":
        return chance.randrange(0, 1000)
    if kind == "number":
        return chance.choice([0.5, 12.25, -3.75])
    if kind == "boolean":
        return chance.random() < 0.5
    if depth == 0:
        return None
    if kind == "array":
        items = [drawn(schema.get("items", {}), schemas, chance, depth - 1) for _ in range(2)]
        return [item for item in items if item is not None] or None
    members = [(name, each) for name, each in schema.get("properties", {}).items() if not each.get("readOnly")]
    found = {
        name: drawn(each, schemas, chance, depth - 1) for name, each in chance.sample(members, min(3, len(members)))
    }
    return {name: value for name, value in found.items() if value is not None} or None


def path_value(parameter: Json, chance: random.Random) -> Any:
    """Return a value of a path parameter that fits its pattern, or None if the pattern is too complex for this
    function.
    """
    pattern = parameter.get("pattern")
    if parameter.get("enum"):
        return chance.choice(parameter["enum"])
    if parameter["type"] == "integer":
        return chance.randrange(1, 1000)
    if not pattern:
        return "12345" if parameter.get("format") else chance.choice(SEGMENTS)
    parts = []
    for part in pattern.removeprefix("^").removesuffix("$").replace("[^/]", "[^]").split("/"):
        if part in ("[^]+", ".*"):
            parts.append(chance.choice(UNRESERVED))
        elif re.fullmatch(r"[\w.~-]+", part):
            parts.append(part)
        elif re.fullmatch(r"\[0-9\]\{\d,\d+\}", part):
            parts.append(str(chance.randrange(1, 99999)))
        else:
            return "x1" if len(parts) == 0 and re.fullmatch(pattern, "x1") else None
    return "/".join(parts)


def query_value(parameter: Json, chance: random.Random) -> Any:
    if parameter.get("pattern") and not re.search(parameter["pattern"], "plain"):
        return None
    schema = {key: value for key, value in parameter.items() if key != "location"}
    value = "plain" if parameter.get("pattern") else drawn(schema, {}, chance, 1)
    if isinstance(value, int) and not isinstance(value, bool):
        value = max(int(parameter.get("minimum", 0)), min(int(parameter.get("maximum", 1000)), value))
    return value


def one(method: Json, make: Callable[..., Any], schemas: Json, chance: random.Random) -> Json | None:
    """Return one call: random parameters, a random body, and the HTTP request that Google's client makes of them.

    Return only the error if the client raises one, and None if no value for a required parameter can be drawn.
    """
    given = {}
    for key, parameter in method.get("parameters", {}).items():
        value = None
        if parameter["location"] == "path":
            value = path_value(parameter, chance)
        elif parameter.get("required") or chance.random() < 0.4:
            value = query_value(parameter, chance)
            value = [value, value] if parameter.get("repeated") and value is not None else value
        if value is not None:
            given[key] = value
        elif parameter.get("required"):
            return None
    body = drawn(method["request"], schemas, chance, 3) if "request" in method else None
    arguments = {client.key2param(key): value for key, value in given.items()} | ({"body": body} if body else {})
    try:
        made = make(**arguments)
    except (TypeError, ValueError) as refused:  # the client refuses some values that the document allows
        return {"refused": str(refused)}
    sent = json.loads(made.body) if made.body else None
    return {"given": given, "body": body, "request": {"method": made.method, "uri": made.uri, "body": sent}}


def calls(document: Path, seed: str, count: int) -> Iterator[Json]:
    """Yield `count` calls of each method of a document."""
    root = json.loads(document.read_text(encoding="utf-8"))

    def member(api: Any, name: str) -> Any:
        return getattr(api, client.fix_method_name(client.key2param(name)))

    def walk(holder: Json, api: Any) -> Iterator[Json]:
        for name, method in holder.get("methods", {}).items():
            chance = random.Random(f"{seed} {document.stem} {method['id']}")
            for _ in range(count):
                call = one(method, member(api, name), root["schemas"], chance)
                if call is not None:
                    yield {"document": document.stem, "id": method["id"], **call}
        for name, resource in holder.get("resources", {}).items():
            yield from walk(resource, member(api, name)())

    # The client changes the document that it gets, so it reads a copy of its own.
    yield from walk(
        root, client.build_from_document(json.loads(document.read_text(encoding="utf-8")), http=mock.HttpMock())
    )


def main(arguments: list[str]) -> None:
    print(json.dumps({"folder": str(FOLDER)}))
    if arguments[0] == "list":
        return
    for name in arguments[2:]:
        for call in calls(FOLDER / f"{name}.json", arguments[0], int(arguments[1])):
            print(json.dumps(call))


if __name__ == "__main__":
    main(sys.argv[1:])
