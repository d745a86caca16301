# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answer the methods of MCP's extension for skills, `io.modelcontextprotocol/skills` (SEP-2640).

A skill is a folder of texts that tell a model how to do something. Each of its files is a resource, which
`core/features.py` lists and reads like any other one. The entry of its SKILL.md in resources.json also has the front
matter of this file. So this module only finds the files of a skill, and computes their digests from the texts that
clients read. URIs are compared as they are, so no spelling of a path leaves the folder of a skill.
"""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import unquote

from ..core.effects import check_cursor
from ..core.jsonrpc import INVALID_PARAMS, Fault
from ..core.wire_formats import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..core.jsonrpc import Request
    from ..core.wire_formats import Block
    from ..tables.table import Resource

_MAIN = "SKILL.md"
_LONGEST_SHOWN = 64


def answered(request: Request, resources: Sequence[Resource], cache: Block) -> Reply:
    """Return the result of a request about skills. `resources`: entries of resources.json. `cache`: that of lists.

    Raise Fault if the parameters are invalid, or name no skill or folder of a skill.
    """
    check_cursor(request.params)
    skills = {each["listed"]["uri"]: each for each in resources if "skill" in each}
    if request.method == "skills/list":
        return Reply(request.method, {"skills": [_skill(each, resources) for each in skills.values()]}, cache)
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise Fault(INVALID_PARAMS, f"{request.method} needs params.uri, a string.")
    if request.method == "skills/get":
        if uri not in skills:
            raise Fault(INVALID_PARAMS, f"No skill is served at '{uri[:_LONGEST_SHOWN]}'.")
        return Reply(request.method, {"skill": _skill(skills[uri], resources)}, cache)
    children = list(_children(uri, resources)) if any(_lies_in(f"{uri}/", each) for each in skills) else []
    if not children:
        raise Fault(INVALID_PARAMS, f"'{uri[:_LONGEST_SHOWN]}' is not a directory resource.")
    return Reply(request.method, {"resources": children})


def _folder(skill: str) -> str:
    """Return the URI of a skill's folder, with a slash at its end. `skill`: the URI of its SKILL.md."""
    return skill.removesuffix(_MAIN)


def _lies_in(uri: str, skill: str) -> bool:
    return uri.startswith(_folder(skill))


def _skill(entry: Resource, resources: Sequence[Resource]) -> Block:
    """Return a skill as MCP's `Skill`: its front matter, and the digest and size of each of its files."""
    uri = entry["listed"]["uri"]
    files = [_file(each) for each in resources if _lies_in(each["listed"].get("uri", ""), uri)]
    return {"uri": uri, "frontmatter": entry["skill"], "resources": files}


def _file(entry: Resource) -> Block:
    content = entry["text"].encode()
    return {"uri": entry["listed"]["uri"], "digest": f"sha256:{sha256(content).hexdigest()}", "size": len(content)}


def _children(uri: str, resources: Sequence[Resource]) -> Iterator[Block]:
    """Yield the files in the folder `uri`, and the folders directly in it, as MCP's `Resource`."""
    told = set()
    for listed in (each["listed"] for each in resources):
        parent, inside, path = listed.get("uri", "").partition(f"{uri}/")
        name, below, _ = path.partition("/")
        if parent or not inside or name in told:
            continue
        told.add(name)
        folder = {"uri": f"{uri}/{name}", "name": unquote(name), "mimeType": "inode/directory"}
        yield dict(folder if below else listed)


def rows(resources: Sequence[Resource], queries: list[str], stems: Callable[[str], list[str]]) -> list[str]:
    """Return a row for each skill that fits a query best and has at least half of its words.

    `stems` returns the words of a text in a form that compares alike.
    """
    said = {each["listed"]["uri"]: each["skill"] for each in resources if "skill" in each}
    words = {uri: {*stems(f"{each['name']} {each['description']}")} for uri, each in said.items()}
    found = {}
    for asked in ({*stems(query)} for query in queries if words):
        uri = max(words, key=lambda each: len(asked & words[each]))
        if asked and len(asked & words[uri]) * 2 >= len(asked):
            found[uri] = " ".join(said[uri]["description"].split())
    return [f"Skill {uri}: {text}" for uri, text in found.items()]
