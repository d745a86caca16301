"""What all workflows of one document share: its source descriptions, its components, and its workflows."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from mcpgen.base.diagnostics import Where
from mcpgen.base.errors import FatalError, SkipOperation
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_object, as_text, tokens
from mcpgen.base.names import clipped, nearest
from mcpgen.model.workflow import Target
from mcpgen.read.arazzo.keys import invalid, read_list, read_object, read_text, unsupported
from mcpgen.read.arazzo.values import Constants
from mcpgen.read.document import Document

VERSIONS = ("1.0", "1.1")

_SOURCE = re.compile(r"\$sourceDescriptions\.([A-Za-z0-9_-]+)\.(.+)", re.DOTALL)
_PATH = re.compile(r"\{?\$sourceDescriptions\.([A-Za-z0-9_-]+)(?:\.url)?\}?#(/.*)", re.DOTALL)
_COMPONENT = re.compile(r"\$components\.(parameters|successActions|failureActions)\.([A-Za-z0-9._-]+)")
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """A document that workflows refer to. `document`: its name among the inputs, or "" if it is not among them."""

    name: str
    url: str
    kind: str
    where: Where
    document: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The parts of an Arazzo document that its workflows may use."""

    document: str
    sources: Mapping[str, SourceDescription]
    components: JsonObject
    ids: frozenset[str]
    constants: Constants

    def component(self, raw: JsonValue, group: str, where: Where) -> tuple[JsonValue, Where, JsonObject]:
        """Return an entry of a list, its place, and the members that the entry replaces in it.

        A Reusable Object (Arazzo 1.1, 4.8.10) leads to the component that it names. Raises SkipOperation if there is
        none.
        """
        if not isinstance(raw, dict) or "reference" not in raw:
            return raw, where, {}
        reference = as_text(raw["reference"])
        found = _COMPONENT.fullmatch(reference)
        known = as_object(self.components.get(group))
        if found is None or found[1] != group or found[2] not in known:
            hint = nearest(found[2], list(known)) if found and known else f"Define it under `components/{group}`."
            raise invalid(f"There is no component {clipped(reference)}.", where.inside("reference"), hint)
        place = Where(self.document).inside("components", group, found[2])
        return known[found[2]], place, {"value": raw["value"]} if "value" in raw else {}

    def workflow(self, written: str, where: Where) -> Target:
        """Return the workflow that a `workflowId` names. Raises SkipOperation if there is none."""
        if source := _SOURCE.fullmatch(written):
            described = self._source(source[1], where)
            if described.kind not in ("", "arazzo"):
                raise invalid(f"The source description '{described.name}' is no Arazzo document.", where)
            return Target("workflow", source[2], where, described.document)
        if written not in self.ids:
            raise invalid(f"There is no workflow '{clipped(written)}'.", where, nearest(written, sorted(self.ids)))
        return Target("workflow", written, where, self.document)

    def operation(self, written: str, where: Where) -> Target:
        """Return the operation that an `operationId` names. Raises SkipOperation if its document is unknown."""
        if source := _SOURCE.fullmatch(written):
            described = self._source(source[1], where)
            self._refuse_other_kinds(described, where)
            return Target("operation", source[2], where, described.document)
        apis = [each for each in self.sources.values() if each.kind != "arazzo"]
        if len(apis) != 1:
            return Target("operation", written, where)
        self._refuse_other_kinds(apis[0], where)
        return Target("operation", written, where, self._source(apis[0].name, where).document)

    def operation_at(self, written: str, where: Where) -> Target:
        """Return the operation that an `operationPath` points to. Raises SkipOperation if it is no operation."""
        found = _PATH.fullmatch(written)
        if found is None:
            hint = "Write '{$sourceDescriptions.NAME.url}#/paths/~1pets/get'."
            raise invalid(f"'{clipped(written)}' is no path of an operation.", where, hint)
        described = self._source(found[1], where)
        self._refuse_other_kinds(described, where)
        path = tokens(found[2])
        if len(path) != 3 or path[0] != "paths" or path[2] not in _METHODS:
            hint = "An `operationPath` ends with /paths, the path of the API with ~1 for each slash, and the method."
            raise invalid(f"'{clipped(found[2])}' points to no operation.", where, hint)
        return Target("operation", f"{path[2].upper()} {path[1]}", where, described.document)

    def _source(self, name: str, where: Where) -> SourceDescription:
        if name not in self.sources:
            raise invalid(
                f"There is no source description '{clipped(name)}'.", where, nearest(name, list(self.sources))
            )
        described = self.sources[name]
        if not described.document and described.kind != "asyncapi":
            message = (
                f"The document of the source description '{name}', {clipped(described.url)}, is not among the inputs."
            )
            hint = "Name the document in the same command, or under `openapi` or `workflows` in the tools file."
            raise invalid(message, described.where, hint)
        return described

    @staticmethod
    def _refuse_other_kinds(described: SourceDescription, where: Where) -> None:
        if described.kind == "asyncapi":
            hint = "Leave this workflow out; mcpgen calls operations of OpenAPI documents."
            raise unsupported("mcpgen neither sends nor receives messages of AsyncAPI.", where, hint)
        if described.kind == "arazzo":
            raise invalid(f"The source description '{described.name}' has no operations.", where, "Use `workflowId`.")


def read_facts(document: Document, apis: Iterable[str], others: Mapping[str, str]) -> Facts:
    """Return the facts of an Arazzo document. Raises FatalError if its version is not supported, or a part is invalid.

    `apis`: names of the API descriptions of this run. `others`: its Arazzo documents, with the `$self` of each, or "".
    """
    root = as_object(document.value)
    version = ".".join(str(root.get("arazzo")).split(".")[:2])
    if version not in VERSIONS:
        message = f"Arazzo version {clipped(str(root.get('arazzo')))} is not supported."
        hint = f"mcpgen reads {' and '.join(VERSIONS)}."
        raise FatalError("unsupported-version", message, document.where("/arazzo"), hint)
    try:
        return _facts(document, apis, others, selectors=version != "1.0")
    except SkipOperation as unusable:
        found = unusable.diagnostic
        raise FatalError(found.code, found.message, found.where, found.hint) from None


def _facts(document: Document, apis: Iterable[str], others: Mapping[str, str], *, selectors: bool) -> Facts:
    top = document.where("")
    root = read_object(document.value, "document", top)
    own = as_text(root.get("$self"))
    base = urljoin(document.name, own) if own else document.name
    sources = {}
    for index, raw in enumerate(read_list(root.get("sourceDescriptions"), "sourceDescriptions", top)):
        where = top.inside("sourceDescriptions", index)
        entry = read_object(raw, "source description", where)
        name, url = (read_text(entry, key, "source description", where) for key in ("name", "url"))
        kind = as_text(entry.get("type"))
        among = list(others) if kind == "arazzo" else list(apis)
        known = {names: each for each, names in others.items() if names} if kind == "arazzo" else {}
        alone = sum(as_object(each).get("type") == kind for each in read_list(root["sourceDescriptions"], "", top)) == 1
        found = known.get(urljoin(base, url)) or _matched(name, url, base, among, alone and kind != "arazzo")
        sources[name] = SourceDescription(name, url, kind, where, found)
    ids = [as_text(as_object(each).get("workflowId")) for each in read_list(root.get("workflows"), "workflows", top)]
    texts = {f"$sourceDescriptions.{each.name}.url": each.url for each in sources.values()}
    texts |= {f"$sourceDescriptions.{each.name}.type": each.kind for each in sources.values()}
    components = read_object(root.get("components", {}), "components", top.inside("components"))
    if own:
        texts["$self"] = own
    return Facts(document.name, sources, components, frozenset(ids), Constants(texts, selectors))


def _matched(name: str, url: str, base: str, documents: list[str], alone: bool) -> str:
    """Return the document that a source description means, or "".

    It is the document at its URL or path; else the only one with this file name, or whose file is named like the
    source description; else the only document, if the source description is `alone`.
    """
    located = _located(url, base)
    if located in (normal := {_normal(each): each for each in documents}):
        return normal[located]
    file = posixpath.basename(urlsplit(url).path)
    by_file = [each for each in documents if posixpath.basename(urlsplit(each).path) == file]
    stems = [each for each in documents if posixpath.basename(each).partition(".")[0].casefold() == name.casefold()]
    for some in (by_file, stems, documents if alone else []):
        if len(some) == 1:
            return some[0]
    return ""


def _located(url: str, base: str) -> str:
    if "://" in url or "://" in base:
        return urljoin(base, url)
    return _normal(posixpath.join(posixpath.dirname(base.replace("\\", "/")), url))


def _normal(name: str) -> str:
    return name if "://" in name else posixpath.normpath(name.replace("\\", "/"))
