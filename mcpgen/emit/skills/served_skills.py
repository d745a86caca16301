"""Add skills to a catalog: folders of instructions for a model (SEP-2640), as resources under `skill://NAME/`.

The project's owner wrote them, or accepts one for each tag of the tools, for each workflow, or the SKILL.md of the
project. The resource of a SKILL.md also has its front matter. So the passes that write, list and compare resources
know nothing of skills.

Texts of the owner are taken as they are, because hosts compare them with their digests. Only invisible characters are
removed. Text of the document enters a skill through the templates `SKILL.md.jinja` of `templates/skill` and
`templates/shell`, whose filters escape it.
"""

import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from urllib.parse import quote

from mcpgen.base import assets
from mcpgen.base.diagnostics import Diagnostics, Where
from mcpgen.base.errors import FatalError
from mcpgen.base.invisible import has_hidden, spells_hidden, without_hidden
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, without_empty
from mcpgen.base.names import clipped, romanize, short_hash, words
from mcpgen.base.plurals import counted
from mcpgen.emit.sinks import render
from mcpgen.emit.skills import shell_skill
from mcpgen.emit.skills.shell_skill import NAME as MAIN
from mcpgen.lower.text.prose import sentences, shortened
from mcpgen.model import Catalog, Resource, ResourceSpec, ToolSpec
from mcpgen.model.options import ALL_PARTS
from mcpgen.read.document.library import Library
from mcpgen.read.document.load import load
from mcpgen.read.toolsfile import ToolsFile
from mcpgen.read.toolsfile.resources import LARGEST, MEDIA_TYPES

# Hosts accept at least this much (SEP-2640, "Limits").
MOST_FILES, MOST_BYTES = 512, 16 * 1024 * 1024

_FRONT_MATTER = re.compile(r"---\r?\n.*?\r?\n(?=---[ \t]*(?:\r?\n|\Z))", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")
_FORMAT = "Begin the file with `---`, `name: …`, `description: …` and `---`, each on a line of its own."
_REMOVE = "Remove them, or write what is meant."
_NO_SHELL = "Add `parts: [shell]`, or let mcpgen make skills by `from: tags`."
_INSIDE = "Name a file or folder beside the tools file, or in a folder below it."

MOST_ROWS = 40
"""Most tools that a skill lists. A longer list would cost a model more than a search."""

_LONGEST_NAME, _LONGEST_SAID, _LONGEST_DESCRIPTION = 64, 200, 600


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill. `front_matter`: that of its SKILL.md. `files`: path → text of each file, SKILL.md first.

    `tools`: names of the tools that it is about, if some callers may use none of them.
    """

    where: Where
    front_matter: JsonObject
    files: Mapping[str, str]
    tools: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return as_text(self.front_matter["name"])

    @property
    def folder(self) -> str:
        """Return the beginning of the URIs of its files."""
        return f"skill://{self.name}/"

    def resources(self) -> Iterator[ResourceSpec]:
        """Yield a resource for each file."""
        described = as_text(self.front_matter["description"])
        for path, text in self.files.items():
            is_main, kind = path == MAIN, MEDIA_TYPES.get(posixpath.splitext(path)[1].lower(), "text/plain")
            resource = Resource(
                self.where,
                self.name if is_main else posixpath.basename(path),
                self.folder + quote(path),
                description=described if is_main else "",
                media_type=kind,
                content=text,
                extra={"skill": self.front_matter if is_main else {}, "tools": list(self.tools)},
            )
            yield ResourceSpec(resource, resource.uri)


def with_skills(
    catalog: Catalog, files: Iterable[ToolsFile], parts: Collection[str], library: Library, diagnostics: Diagnostics
) -> Catalog:
    """Return `catalog` with the skills of the tools files `files` as further resources.

    A skill is reported and left out if it cannot be used, or if another skill or resource has its URIs.

    `parts`: those that the server gets. With the part `shell`, the project has a SKILL.md.
    """
    found, taken = list(catalog.resources), [each.uri for each in catalog.resources]
    lists = [(each.unread["skills"], each.where.inside("skills")) for each in files if "skills" in each.unread]
    # The name of the project's skill is fixed, so a tag must not get it first.
    names = {catalog.identity.command for value, _ in lists if {"from": "project"} in as_list(value)}
    for value, where in lists:
        for index, entry in enumerate(as_list(value)):
            if entry == {"from": "project"} and {"shell", ALL_PARTS}.isdisjoint(parts):
                message = "The project has no SKILL.md, because its server lacks the part `shell`."
                diagnostics.add("invalid-skill", message, where.inside(index), _NO_SHELL)
                continue
            for skill in _read(entry, where.inside(index), catalog, names, library, diagnostics):
                if any(uri.startswith(skill.folder) for uri in taken):
                    message = f"Another skill or resource has a URI that begins with {skill.folder}."
                    diagnostics.add("duplicate-name", message, skill.where, "Rename or remove the skill.")
                    continue
                found += skill.resources()
                taken.append(skill.folder)
    extra = catalog.extra | without_empty(skills=len(found) > len(catalog.resources))
    return replace(catalog, resources=tuple(found), extra=extra)


def _read(
    entry: JsonValue, where: Where, catalog: Catalog, names: set[str], library: Library, diagnostics: Diagnostics
) -> Iterator[Skill]:
    """Yield the skills of an entry of `skills`. `schema_check` has already reported an entry of another type.

    `names`: those of the skills that mcpgen has made so far; names of further skills are added.
    """
    if isinstance(entry, str):
        skill = _read_skill(entry, where, library, diagnostics)
        yield from [skill] if skill else []
    elif isinstance(entry, dict) and entry.get("from") == "tags":
        yield from _skills_of_tags(catalog, names, where)
    elif isinstance(entry, dict) and entry.get("from") == "workflows":
        yield from _skills_of_workflows(catalog, names, where)
    elif isinstance(entry, dict) and entry.get("from") == "project":
        text = shell_skill.shell_skill(catalog, is_served=True).decode()
        yield Skill(where, shell_skill.front_matter(catalog, is_served=True), {MAIN: text})


# -- Skills that the owner wrote ---------------------------------------------------------------------------------------


def _is_text(value: JsonValue, longest: int = LARGEST) -> bool:
    return isinstance(value, str) and len(value.strip()) > 0 and len(value) <= longest


_RULES: Mapping[str, tuple[Callable[[JsonValue], bool], str]] = {
    "name": (
        lambda value: isinstance(value, str) and _NAME.fullmatch(value) is not None,
        "1 to 64 lower-case letters, digits and single hyphens between them",
    ),
    "description": (lambda value: _is_text(value, 1024), "a text of 1 to 1,024 characters"),
    "license": (_is_text, "a text"),
    "compatibility": (lambda value: _is_text(value, 500), "a text of 1 to 500 characters"),
    "metadata": (lambda value: isinstance(value, dict), "a mapping"),
    "allowed-tools": (_is_text, "a text"),
}
"""Key of the front matter → whether a value is valid, and what it must be. Other keys may have any value."""

_REQUIRED = ("name", "description")


def _read_skill(named: str, where: Where, library: Library, diagnostics: Diagnostics) -> Skill | None:
    """Return the skill in the folder or file `named`, which the tools file names at `where`.

    If the skill cannot be used, report the reason and return None.
    """
    path = posixpath.normpath(posixpath.join(posixpath.dirname(where.file.replace(os.sep, "/")), named))
    main = path if path.endswith(".md") else f"{path}/{MAIN}"
    files: dict[str, str] = {}
    size = 0
    try:
        for each in chain([MAIN], _others(path) if main != path else ()):
            files[each] = _text(main if each == MAIN else f"{path}/{each}", where, library, diagnostics)
            size += len(files[each].encode())
            if len(files) > MOST_FILES or size > MOST_BYTES:
                message = f"Hosts accept skills of {MOST_FILES} files and {MOST_BYTES:,} bytes; {path} has more."
                raise FatalError("invalid-skill", message, hint="Move files that models need not read elsewhere.")
        front_matter = _front_matter(main, files[MAIN], where, library, diagnostics)
    except OSError:
        diagnostics.add("unusable-file", f"The folder {path} cannot be read.", where, _INSIDE)
        return None
    except FatalError as reason:
        found = reason.diagnostic
        diagnostics.add(found.code, found.message, found.where or where, found.hint)
        return None
    return Skill(where, front_matter, files) if front_matter else None


def _text(path: str, where: Where, library: Library, diagnostics: Diagnostics) -> str:
    """Return the text of a file without invisible characters. Raises FatalError if there is none that can be used."""
    try:
        data = library.content(os.path.normpath(path), where.file)
    except FatalError as refused:
        raise FatalError("unusable-file", refused.diagnostic.message, hint=_INSIDE) from None
    if len(data) > LARGEST:
        message = f"{path} has {len(data):,} bytes; a file in a server can have at most {LARGEST:,}."
        raise FatalError("unusable-file", message, hint="Split the file.")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if _CONTROL.search(text):
        raise FatalError(
            "unusable-file", f"{path} is not UTF-8 text.", hint="Keep only texts in the folder of a skill."
        )
    if text != (text := without_hidden(text)):
        message = f"Invisible or direction-changing characters were removed from {path}."
        diagnostics.add("hidden-characters", message, where, _REMOVE)
    if spells_hidden(text):
        message = f"HTML references to invisible characters occur in {path}."
        diagnostics.add("hidden-characters", message, where, _REMOVE)
    return text


def _others(folder: str) -> Iterator[str]:
    """Yield the paths of at most MOST_FILES files in a folder and below it, sorted, except SKILL.md and hidden files.

    Raises FatalError for links, and for names that are no text.
    """
    found: list[str] = []
    waiting = [""]
    while waiting and len(found) < MOST_FILES:
        inside = waiting.pop()
        with os.scandir(f"{folder}/{inside}") as entries:
            for entry in entries:
                path = f"{inside}{entry.name}"
                if not path.isprintable() or entry.is_symlink():
                    message = f"{clipped(ascii(path))} in {folder} is a link, or has an unusable name."
                    raise FatalError("unusable-file", message, hint="Copy the file under a plain name.")
                if entry.name.startswith(".") or path == MAIN:
                    continue
                if entry.is_dir():
                    waiting.append(f"{path}/")
                else:
                    found.append(path)
    yield from sorted(found)


def _front_matter(path: str, text: str, where: Where, library: Library, diagnostics: Diagnostics) -> JsonObject | None:
    """Return the front matter of a SKILL.md, or None if it has faults, which are reported.

    Raises FatalError if there is no front matter, or if it is not YAML.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise FatalError("invalid-skill", f"{path} does not begin with front matter.", Where(path, "", 1, 1), _FORMAT)
    # Only the front matter is parsed, from the first line on, so that its places are those of the file.
    document = load(path, match[0].encode(), diagnostics, library.memory)
    library.add_as(document, where.file)
    found = as_object(document.value)
    wrong = [key for key, (is_valid, _) in _RULES.items() if key in found and not is_valid(found[key])]
    faults = [(f"/{key}", f"`{key}` of a skill must be {_RULES[key][1]}.") for key in wrong]
    faults += [("", f"The skill has no `{key}`.") for key in _REQUIRED if key not in found]
    if has_hidden(found):
        faults.append(("", "The front matter spells invisible characters."))
    for pointer, message in faults:
        diagnostics.add("invalid-skill", message, document.where(pointer), _FORMAT)
    return None if faults else found


# -- Skills of tags and workflows --------------------------------------------------------------------------------------


def _skills_of_tags(catalog: Catalog, names: set[str], where: Where) -> Iterator[Skill]:
    """Yield a skill for each first tag of the tools; tools without tags share one. `where`: place in the tools file."""
    groups: dict[str, list[ToolSpec]] = {}
    for tool in catalog.tools:
        tag = " ".join(without_hidden(next(iter(tool.operation.tags), "")).split())
        groups.setdefault(tag, []).append(tool)
    title = catalog.identity.title
    for tag, tools in sorted(groups.items()):
        about = f"{tag} of {title}" if tag else title
        said = f"Work with {about}: {'; '.join(tool.title for tool in tools)}"
        yield _skill(_name(catalog, tag, names), about, said, tools, catalog, where)


def _skills_of_workflows(catalog: Catalog, names: set[str], where: Where) -> Iterator[Skill]:
    """Yield a skill for each tool that is a workflow, with the tools that its steps call and clients see, in order."""
    listed = {tool.name: tool for tool in catalog.tools}
    for tool in catalog.tools:
        if workflow := tool.binding.workflow:
            steps = [as_object(step) for step in as_list(workflow.get("steps"))]
            calls = chain.from_iterable((step, as_object(step.get("undo"))) for step in steps)
            called = dict.fromkeys(as_text(each.get("tool")) for each in calls)
            tools = [listed[name] for name in called if name in listed]
            about = f"{tool.title} in {catalog.identity.title}"
            yield _skill(_name(catalog, tool.name, names), about, _says(tool), tools, catalog, where, tool)


def _name(catalog: Catalog, of: str, names: set[str]) -> str:
    """Return a name for the skill of a tag or a workflow that is not in `names`, and add it there."""
    name = "-".join([catalog.identity.name, *words(romanize(of))])[:_LONGEST_NAME].rstrip("-")
    if name in names:
        name = f"{name[: _LONGEST_NAME - 9]}-{short_hash(of, 8)}"
    names.add(name)
    return name


def _says(tool: ToolSpec) -> str:
    return next(iter(sentences(tool.description.partition("\n")[0])), "")


def _skill(
    name: str,
    about: str,
    said: str,
    tools: list[ToolSpec],
    catalog: Catalog,
    where: Where,
    workflow: ToolSpec | None = None,
) -> Skill:
    """Return a skill. `said`: its description. `tools`: those that it lists. `workflow`: the tool that calls them."""
    description = shortened(said, _LONGEST_DESCRIPTION)
    values = {
        "name": name,
        "description": description,
        "about": about,
        "workflow": workflow.name if workflow else "",
        "count": counted(len(tools), "tool"),
        **shell_skill.finders(catalog),
        "tools": [
            {
                "name": tool.name,
                "says": shortened(_says(tool), _LONGEST_SAID),
                "effect": tool.annotations.effect,
                "confirm": "" if tool.confirm == "never" else tool.confirm,
            }
            for tool in tools[: MOST_ROWS if len(tools) <= MOST_ROWS else 0]
        ],
    }
    text = render(assets.project_templates().parent / "skill", values)[MAIN].decode()
    needed = [workflow] if workflow else tools
    is_for_all = not all(tool.roles or tool.binding.caller_scopes for tool in needed)
    about_tools = () if is_for_all else tuple(tool.name for tool in needed)
    return Skill(where, {"name": name, "description": description}, {MAIN: text}, about_tools)
