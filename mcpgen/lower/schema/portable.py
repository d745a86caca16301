"""Convert schemas to the portable profile, which every client and every model provider accepts, without loss of
meaning.

In the profile (`check/catalog.py` checks it), every node has a single `type`, or is an `anyOf` of such nodes. Objects
have no boolean `additionalProperties`, arrays have typed `items`, and enums are texts. There is no `$ref`, `allOf`,
`oneOf`, `not` or `const`. How deep schemas may nest depends on `--max-tokens`, the limit for a tool's definition.

Constraints without a keyword in the profile are put into the description, where a model reads them. The server does not
check constraints that are left out; the API does.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text, unique
from mcpgen.base.names import clipped
from mcpgen.lower.schema import constraints
from mcpgen.lower.schema.budget import LADDER, MOST_NODES, Limits
from mcpgen.lower.schema.compose import Composer, alternatives, excludes, types
from mcpgen.lower.schema.discriminators import Discriminator, schema_name
from mcpgen.lower.schema.expansions import UNIONS, ArgumentKey, Expansion, ExpansionKey, Leaf, Levels
from mcpgen.lower.schema.kinds import demanded, implied_types, is_null, only_demands, type_of
from mcpgen.lower.schema.media_types import is_file
from mcpgen.lower.schema.merge_unions import ANY_VALUE_NODES, SCALARS, any_list, any_value, folded, tags_first
from mcpgen.lower.schema.nodes import as_key, further_members, identity_of, is_scalar, items_of
from mcpgen.lower.schema.patterns import shown
from mcpgen.lower.text.prose import ended, plain, shortened

FILE_NOTE = "Base64, a data: URI, or file:NAME for a file in the directory that the server was given."
_MOST_LOOKED_INTO = 40
_MEANS_NULL = re.compile(r"\bnull\b", re.IGNORECASE)
_ALTERNATIVES = frozenset({"oneOf", "anyOf", "discriminator"})
_NOT_OF_ONE = _ALTERNATIVES | {"enum"}
_NOT_OF_BRANCHES = _ALTERNATIVES | {"description", "title", "default", "deprecated", "readOnly", "writeOnly"}
_CONDITIONS = ("not", "if", "dependentRequired", "dependentSchemas", "patternProperties", "contains", "propertyNames")
_UNSAYABLE = frozenset(_CONDITIONS)
"""Keywords whose conditions the profile expresses neither by a keyword nor by a sentence."""

_MEMBERS = ("properties", "additionalProperties", "unevaluatedProperties")
_Nodes = list[JsonObject] | None
_OUTSIDE_NULL: tuple[str, ...] = ("description", "default")


class _Position(NamedTuple):
    """A place in the schema of an argument.

    `depth`: number of surrounding objects and lists. `level`: level of nesting in the emitted schema, in which a union
    also counts as a level. `trail`: names of surrounding schemas.
    `patched`: True if the place is in a JSON Merge Patch, where null removes an optional member.
    """

    depth: int = 0
    level: int = 1
    trail: tuple[str, ...] = ()
    patched: bool = False

    @property
    def is_argument(self) -> bool:
        return self.level == 1

    # without `_replace`, which takes four times as long
    def in_choice(self) -> "_Position":
        return _Position(self.depth, self.level + 1, self.trail, self.patched)

    def in_collection(self) -> "_Position":
        return _Position(self.depth + 1, self.level + 1, self.trail, self.patched)

    def in_schema(self, identity: str) -> "_Position":
        return _Position(self.depth, self.level, (*self.trail, identity), self.patched) if identity else self


class Portable:
    """Writer of the schemas of one tool in a form that every client accepts, within `limits`.

    `cuts`: phrases for what was left out. `files`: True if a string that stands for a file gets `contentEncoding:
    base64`, as in a multipart body.
    """

    def __init__(
        self, composer: Composer, limits: Limits = LADDER[0], *, nulls: bool = False, files: bool = False
    ) -> None:
        self.composer = composer
        self.limits = limits
        self.is_draft = limits is not LADDER[-1]
        """True if a schema that exceeds the limit on nodes is thrown away, since smaller limits are left to try."""
        self.nulls = nulls
        self.files = files
        self.cuts: list[str] = []
        self._left = MOST_NODES
        self._expansions = composer.expansions
        self._arguments = composer.expansions.arguments.setdefault((limits, nulls, files), {})
        self._asked: set[str] = set()
        """Names looked up among the schemas around the current expansion."""
        self._shared = 0
        """Nodes that belong to a cached expansion."""
        self._reached: Levels | None = None
        """Deepest place of the current expansion at which a limit on levels was checked, or None without a check."""
        self._is_limited = False
        """True if such a limit was met in the current expansion."""
        self._unions = UNIONS
        """Unions of the current expansion that were written, by the number of their alternatives."""

    @property
    def is_exhausted(self) -> bool:
        """Return True if the schema has reached the limit on nodes."""
        return self._left <= 0

    def schema(
        self,
        source: JsonObject,
        *,
        required: bool = True,
        description: str = "",
        removable: bool = False,
        patched: bool = False,
    ) -> JsonObject:
        """Return `source` as a schema that every client accepts. `description` replaces the schema's own.

        A null alternative in `source` is kept only if the value is required, if null may differ from no value
        (`nulls`), or if the description mentions null. In a JSON Merge Patch (RFC 7396), null removes a member. So
        `removable` adds null as an alternative, and `patched` adds null to optional members inside the value.
        """
        keep_null, at = required or self.nulls, _Position(patched=patched)
        if self._left <= 0 or ("$ref" in source and is_scalar(self.composer.node(source)[0])):
            return self._emit(source, at, keep_null=keep_null, description=description, removable=removable)
        key = self.key(source, required, description, removable, patched)
        _, expansion = self._arguments.get(key, (source, None))
        if expansion is not None and expansion.serves(self._left, is_draft=self.is_draft):
            self._take(expansion, at)
            return expansion.emitted
        shared, identity = as_key(source), identity_of(source)
        expansion = self._shared_with_others(source, shared, identity, at, keep_null, description, removable)
        if self.is_draft or not self.is_exhausted:
            self._arguments[key] = source, expansion
        return expansion.emitted

    def key(self, source: JsonObject, required: bool, description: str, removable: bool, patched: bool) -> ArgumentKey:
        """Return the key by which `known` finds the expansion of an argument. The parameters are those of `schema`."""
        return id(source), required or self.nulls, description, removable, patched

    def known(self, keys: Iterable[ArgumentKey]) -> list[Expansion]:
        """Return the expansions that a writer with the same settings has written before, of those with these keys."""
        return [found[1] for key in keys if (found := self._arguments.get(key))]

    def _emit(
        self, source: JsonObject, at: _Position, *, keep_null: bool, description: str = "", removable: bool = False
    ) -> JsonObject:
        """Return `source` in a form that every client accepts. Cache results for tool arguments and named schemas."""
        identity = identity_of(source)
        if identity and is_scalar(node := self.composer.node(source)[0]):
            source, identity = node, ""  # the same for every place with such a schema, as most parameters have
        if self._left <= 0:
            return self._expand(source, identity, at, keep_null, description, removable)
        if identity or at.is_argument:
            shared = as_key(source)
            return self._shared_with_others(source, shared, identity, at, keep_null, description, removable).emitted
        if description or not is_scalar(source):
            return self._expand(source, identity, at, keep_null, description, removable)
        return self._leaf(source, at, keep_null, removable)

    def _shared_with_others(
        self,
        source: JsonObject,
        shared: str,
        identity: str,
        at: _Position,
        keep_null: bool,
        description: str,
        removable: bool,
    ) -> Expansion:
        """Return the expansion of an argument or a schema of `Member.shared`, from the cache if it is there.

        `shared`: the key of `source` (`nodes.as_key`).
        """
        limits = self.limits
        if keep_null:
            node, _ = self.composer.node(source)
            keep_null = not _is_of_one_type(node)
        setting = ExpansionKey(
            shared,
            keep_null,
            description,
            removable,
            at.patched,
            limits.inner_text if at.depth else limits.text,
            limits.inner_text,
            self.nulls,
            self.files,
        )
        left = Levels(limits.depth - at.depth, limits.levels - at.level)
        known = self._expansions.find(setting, at.trail, self._left, left, limits.alternatives, is_draft=self.is_draft)
        if known is None:
            return self._expand_and_keep(setting, source, identity, at, left)
        self._take(known, at)
        return known

    def _take(self, known: Expansion, at: _Position) -> None:
        """Record that a cached expansion is used at the place `at`: its size, its levels and what was found in it."""
        self._shared += min(known.nodes, self._left)
        self._left -= known.nodes
        self._asked |= known.asked
        if known.height is not None:
            self._reach(at.depth + known.height.depth, at.level + known.height.level, known.left is not None)
        self._unions = self._unions.with_those(known.unions)
        self.cuts += known.cuts
        self.composer.repeat(known.findings)

    def _leaf(self, source: JsonObject, at: _Position, keep_null: bool, removable: bool) -> JsonObject:
        """Return a scalar without a name in a form that every client accepts. Cache it by the identity of `source`."""
        limit = self.limits.inner_text if at.depth else self.limits.text
        key = id(source), keep_null, removable, self.files, limit
        known = self._expansions.leaves.get(key)
        if known is None:
            mark, left = self.composer.mark(), self._left
            emitted = self._expand(source, "", at, keep_null, "", removable)
            if left - self._left == 1:  # one node, so that the limit on nodes has no effect
                self._expansions.leaves[key] = Leaf(source, emitted, self.composer.since(mark))
            return emitted
        self._left -= 1
        self._shared += 1
        self.composer.repeat(known.findings)
        return known.emitted

    def _reach(self, depth: int, level: int, is_limited: bool) -> None:
        """Record that the current expansion reaches these levels, and whether it met a limit there."""
        reached = self._reached
        if reached is None:
            self._reached = Levels(depth, level)
        elif depth > reached.depth or level > reached.level:
            self._reached = Levels(max(reached.depth, depth), max(reached.level, level))
        self._is_limited = self._is_limited or is_limited

    def _expand_and_keep(
        self, setting: ExpansionKey, source: JsonObject, identity: str, at: _Position, follow: Levels
    ) -> Expansion:
        """Return the expansion of `source`, and cache it. `follow`: the levels that may follow.

        If the limit on nodes is reached and `LADDER` has no smaller limits to try, do not cache the schema.
        """
        left, shared, cuts, mark = self._left, self._shared, len(self.cuts), self.composer.mark()
        around, self._asked = self._asked, set[str]()
        reached, self._reached = self._reached, None
        was_limited, self._is_limited = self._is_limited, False
        unions, self._unions = self._unions, UNIONS
        emitted = self._expand(source, identity, at, setting.keep_null, setting.description, setting.removable)
        asked = self._expansions.names(self._asked)
        around |= asked
        self._asked = around
        deepest, inside = self._reached, self._unions
        height = Levels(deepest.depth - at.depth, deepest.level - at.level) if deepest else None
        limit = follow if self._is_limited else None
        if reached is not None:
            self._reach(*reached, was_limited)
        self._unions = unions.with_those(inside)
        nodes, found = left - max(self._left, 0), self.composer.since(mark)
        left_out = tuple(dict.fromkeys(self.cuts[cuts:]))
        met = self._expansions.names(asked.intersection(at.trail))
        too_large = self.is_exhausted
        shown = {} if too_large and self.is_draft else emitted
        expansion = Expansion(shown, nodes, left_out, found, asked, met, height, inside, limit, too_large=too_large)
        if self.is_draft or not too_large:  # no smaller limits are left to try, so nothing would use the schema
            self._expansions.keep(setting, expansion, nodes - (self._shared - shared))
            self._shared = shared + nodes
        return expansion

    def _expand(
        self, source: JsonObject, identity: str, at: _Position, keep_null: bool, description: str, removable: bool
    ) -> JsonObject:
        node, _ = self.composer.node(source)
        self._left -= 1
        comes_again = self._stands_in(identity, at)
        if not _UNSAYABLE.isdisjoint(node):
            self.cuts += [f"conditions ({keyword})" for keyword in _CONDITIONS if keyword in node]
        words = description or as_text(node.get("description"))
        if is_null(node):
            return {"type": "null", **self._text(at, words)}
        keep_null = keep_null or removable or (words != "" and _MEANS_NULL.search(words) is not None)
        if comes_again or self._has_no_room(at, identity, node):
            emitted, nullable = (
                self._cut(node, at, identity if comes_again else "", words),
                removable or self._allows_null(node),
            )
        else:
            at = at.in_schema(identity)
            branches, allows_null = self._branches(node)
            nullable = removable or allows_null
            if len(branches) == 1:
                emitted = self._one(branches[0], at.in_choice() if nullable and keep_null else at, words)
            else:
                emitted = self._several(node, branches, at.in_choice(), words)
        return _with_null(emitted) if nullable and keep_null else emitted

    def _stands_in(self, identity: str, at: _Position) -> bool:
        """Return True if the schema named `identity` already surrounds the place `at`, which is recursion.

        Record this name for the expansion that is being written. A cached expansion is reused only at places where this
        method gives the same result for each recorded name.
        """
        if identity:
            self._asked.add(identity)
        return identity in at.trail

    def _has_no_room(self, at: _Position, identity: str, node: JsonObject) -> bool:
        """Return True if the members of a schema are left out, because it is too deep or the schema is too large."""
        if is_scalar(node):
            return False  # without a check of the level, since a scalar is the same at every level
        is_deep = at.depth >= self.limits.depth or at.level > self.limits.levels
        is_cut = (is_deep or self._left <= 0) and self._is_large(identity, node)
        if is_cut or not is_deep:  # a small schema is the same at every level
            self._reach(at.depth, at.level, is_cut and is_deep)
        return is_cut

    def _is_deep(self, at: _Position) -> bool:
        is_deep = at.depth >= self.limits.depth or at.level > self.limits.levels
        self._reach(at.depth, at.level, is_deep)
        return is_deep

    def _is_large(self, identity: str, node: JsonObject) -> bool:
        """Return True if a schema, its items or its alternatives have members, so that leaving these out saves tokens.

        The result is cached for each named schema.
        """
        if not identity:
            return self._has_members(node)
        known = self._expansions.large.get(identity)
        if known is not None:
            self.composer.repeat(known[1])
            return known[0]
        mark, is_large = self.composer.mark(), self._has_members(node)
        self._expansions.large[identity] = is_large, self.composer.since(mark)
        return is_large

    def _has_members(self, node: JsonObject) -> bool:
        """Return True if a node, its items or alternatives have members; after _MOST_LOOKED_INTO schemas, assume so."""
        waiting, left = [node], _MOST_LOOKED_INTO
        while waiting:
            node = waiting.pop()
            if left == 0 or any(isinstance(node.get(keyword), dict) and node[keyword] for keyword in _MEMBERS):
                return True
            left -= 1
            inner = [
                *alternatives(node),
                *map(as_object, as_list(node.get("prefixItems"))),
                as_object(node.get("items")),
            ]
            waiting += [self.composer.node(each)[0] for each in inner[:_MOST_LOOKED_INTO] if each]
        return False

    def _text(self, at: _Position, words: str, note: str = "") -> JsonObject:
        """Return {"description": TEXT}, or {}. TEXT: the author's text, shortened, and sentences about constraints."""
        limit = self.limits.inner_text if at.depth else self.limits.text
        text = shortened(plain(words), limit - min(len(note), limit // 2)) if words and limit else ""
        whole = f"{ended(text)} {note}".strip() if note else text
        return {"description": whole} if whole else {}

    def _described(self, result: JsonObject, node: JsonObject, at: _Position, words: str, kind: str = "") -> JsonObject:
        """Return `result` with `node`'s default and a description: `words` and the constraints that get no keyword."""
        return {**result, **self._text(at, words, constraints.in_words(node, kind)), **_default_of(node, [result])}

    def given_up(self) -> list[str]:
        """Return phrases for messages that name what the current limits on size and depth leave out of schemas."""
        return self.limits.given_up()

    def definitions(self) -> JsonObject:
        """Return {}: the written schemas have no definitions, since they have no references."""
        return {}

    # -- Alternatives of a node ----------------------------------------------------------------------------------------

    def _branches(self, node: JsonObject) -> tuple[list[JsonObject], bool]:
        """Return the alternatives of `node` without null, each of one type; and True if null is allowed."""
        if _is_of_one_type(node):
            return [node], False
        nullable = "null" in types(node) or None in as_list(node.get("enum"))
        if _ALTERNATIVES.isdisjoint(node):
            return self._of_types(node, nullable)
        base = {keyword: value for keyword, value in node.items() if keyword not in _NOT_OF_BRANCHES}
        found: list[JsonObject] = []
        discriminator = Discriminator(node, self.composer)
        if discriminator.is_inherited:
            return [self.composer.merged(base, child) for child in discriminator.children()], nullable
        offered = [(member, self.composer.node(member)[0]) for member in alternatives(node)]
        for member, flat in [each for each in offered if not excludes(base, each[1])] or offered:
            if is_null(flat):
                nullable = True
            elif only_demands(flat):
                needs = demanded([each for _, each in offered])
                node = {**node, constraints.NEEDS: needs} if needs else node
                found.clear()
                break
            else:
                nullable = nullable or (not types(node) and self._allows_null(flat))
                found.append(self.composer.merged(base, discriminator.tag(member)))
        if found:
            return found, nullable
        return self._of_types({key: value for key, value in node.items() if key not in _ALTERNATIVES}, nullable)

    def _of_types(self, whole: JsonObject, nullable: bool) -> tuple[list[JsonObject], bool]:
        """Return `whole`, a node without alternatives, as a schema for each of its types without null; and True if null
        is allowed.
        """
        kinds = [kind for kind in types(whole) or implied_types(whole) if kind != "null"]
        if "number" in kinds and "integer" in kinds:
            kinds.remove("integer")
        branches = [branch for kind in kinds for branch in _of_kind(whole, kind, alone=len(kinds) == 1)]
        return branches or [whole], nullable or not kinds

    def _allows_null(self, node: JsonObject) -> bool:
        """Return True if `node`, or an alternative in it, allows null."""
        return any("null" in types(leaf) or None in as_list(leaf.get("enum")) for leaf in self._leaves(node))

    def _leaves(self, node: JsonObject) -> list[JsonObject]:
        """Return the alternatives of `node`, nested ones included. A node that declares a type is not split.

        After _MOST_LOOKED_INTO alternatives, no union is split, so that unions of unions do not multiply.
        """
        found: list[JsonObject] = []
        waiting, left = [node], _MOST_LOOKED_INTO
        while waiting:
            node = waiting.pop()
            nested = [] if types(node) else alternatives(node)
            if 0 < len(nested) <= left:
                left -= len(nested)
                waiting += [self.composer.node(member)[0] for member in reversed(nested)]
            else:
                found.append(node)
        return found

    def _several(self, node: JsonObject, branches: list[JsonObject], at: _Position, words: str) -> JsonObject:
        emitted: list[JsonObject] = []
        for branch in branches:
            if self.is_exhausted:
                return self._cut(node, at, "", words, branches)
            emitted.append(self._emit(branch, at, keep_null=False))
        members = unique(part for member in emitted for part in as_list(member.get("anyOf")) or [member])
        is_folded = len(members) > self.limits.alternatives
        self._unions = self._unions.with_one(len(members), is_folded=is_folded)
        members = folded(members) if is_folded else tags_first(members)
        described = self._text(at, words, constraints.in_words(self.composer.with_gaps(node, branches)))
        if len(members) == 1:
            return {**as_object(members[0]), **described}
        return {
            "anyOf": _without_text(members, described.get("description")),
            **described,
            **_default_of(node, members),
        }

    # -- Schemas of one type -------------------------------------------------------------------------------------------

    def _one(self, source: JsonObject, at: _Position, words: str) -> JsonObject:
        node, _ = self.composer.node(source)
        identity = identity_of(source)
        if self._stands_in(identity, at):
            return self._cut(node, at, identity, words)
        if alternatives(node) or len(set(types(node)) - {"null"}) > 1:
            return self._emit(source, at, keep_null=False, description=words)
        at = at.in_schema(identity)
        kind = next(iter(types(node) or implied_types(node)), None)
        if kind == "object":
            return self._object(node, at, words)
        if kind == "array":
            return self._array(node, at, words)
        if kind == "string" and self.files and is_file(node):
            return {"type": "string", "contentEncoding": "base64", **self._text(at, words, FILE_NOTE)}
        if kind in SCALARS:
            leaf = _scalar(node, kind)
            self.composer.tell_of_pattern(node if kind == "string" else {})
            return self._described(leaf, node, at, words, kind)
        self._left -= ANY_VALUE_NODES
        return {**any_value(), **self._text(at, words, constraints.in_words(node))}

    def _object(self, node: JsonObject, at: _Position, words: str) -> JsonObject:
        result: JsonObject = {"type": "object"}
        properties: JsonObject = {}
        required = [key for key in as_list(node.get("required")) if isinstance(key, str)]
        rest = None if "patternProperties" in node else further_members(node)
        composer, inner = self.composer, at.in_collection()
        for key, member, identity, shared, is_composed, is_leaf in composer.members(node):
            if self._left <= 0:
                self.cuts.append(f"the properties from {key} on")
                rest = None
                break
            if is_composed:
                is_read_only = composer.is_read_only(member)
            else:  # the same, without a call
                composer.budget.spend(1)
                is_read_only = "readOnly" in member and member["readOnly"] is True
            if is_read_only:
                continue
            keep_null, removable = key in required or self.nulls, at.patched and key not in required
            if is_leaf:
                properties[key] = self._leaf(member, inner, keep_null, removable)
            elif shared:
                expansion = self._shared_with_others(member, shared, identity, inner, keep_null, "", removable)
                properties[key] = expansion.emitted
            else:
                properties[key] = self._expand(member, "", inner, keep_null, "", removable)
        if properties:
            result["properties"] = properties
        if required := [key for key in required if key in properties]:
            result["required"] = list[JsonValue](required)
        if isinstance(rest, dict) and rest:
            result["additionalProperties"] = self._emit(rest, inner, keep_null=True, removable=at.patched)
        return self._described(result, node, at, words)

    def _array(self, node: JsonObject, at: _Position, words: str) -> JsonObject:
        # A JSON Merge Patch replaces lists as a whole, so null inside an item removes nothing
        items, at = items_of(node), at._replace(patched=False)
        if items:
            result: JsonObject = {"type": "array", "items": self._emit(items, at.in_collection(), keep_null=True)}
        else:
            result = any_list(lists=not self._is_deep(at))
        for keyword in ("minItems", "maxItems"):
            if keyword in node:
                result[keyword] = node[keyword]
        return self._described(result, node, at, words)

    def _cut(self, node: JsonObject, at: _Position, again: str, words: str, known: _Nodes = None) -> JsonObject:
        """Return the outline of `node`, whose schema is recursive, too deep or too large: its types, without members.

        The result accepts every value that `node` accepts, except lists of lists of mixed types. `again`: the name of
        the recursive schema, or "". `known`: the alternatives of `node`, if the caller knows them.
        """
        name = clipped(plain(schema_name(again)))
        self.cuts.append(f"the recursion of {name}" if again else "levels below the deepest that is shown")
        note = f"Same shape as {name} above." if again else "Its properties or items are not listed here."
        kinds = self._kinds(node, known)
        shapes = [self._outline(kind, node) for kind in kinds]
        outline = shapes[0] if len(shapes) == 1 else {"anyOf": list[JsonValue](shapes)} if shapes else any_value()
        return {**outline, **self._text(at, words, note)}

    def _outline(self, kind: str, node: JsonObject) -> JsonObject:
        if kind != "array":
            return {"type": kind}
        inner = self._kinds(self.composer.node(items_of(node))[0])
        if inner == ["array"]:
            return {"type": "array", "items": any_list(lists=False)}
        return {"type": "array", "items": {"type": inner[0]}} if len(inner) == 1 else any_list(lists=False)

    def _kinds(self, node: JsonObject, branches: _Nodes = None) -> list[str]:
        """Return the types of `node` and its alternatives, without null. Return [] if any type is possible."""
        leaves = [node] if types(node) or implied_types(node) else branches or self._leaves(node)
        found = [types(leaf) or implied_types(leaf) for leaf in leaves]
        return list(dict.fromkeys(kind for kinds in found for kind in kinds if kind != "null")) if all(found) else []


def _is_of_one_type(node: JsonObject) -> bool:
    """Return True if `node` is an object or an array, without alternatives and without null."""
    return node.get("type") in ("object", "array") and _NOT_OF_ONE.isdisjoint(node)


def _scalar(node: JsonObject, kind: str) -> JsonObject:
    """Return `node`, of the scalar type `kind`, with only the keywords that every client accepts."""
    result: JsonObject = {"type": kind}
    values = [node["const"]] if "const" in node else as_list(node.get("enum"))
    texts = [value for value in values if isinstance(value, str)]
    if kind == "string":
        if 0 < len(texts) <= constraints.MOST_VALUES and any(texts):
            result["enum"] = list[JsonValue](dict.fromkeys(filter(None, texts)))
        elif texts == [""]:
            result["pattern"] = constraints.EMPTY
        if node.get("format") in constraints.FORMATS and constraints.are_of_format(result.get("enum"), node["format"]):
            result["format"] = node["format"]
        pattern, _ = shown(node)
        if pattern is not None:
            result["pattern"] = pattern
        if node.get("contentEncoding") == "base64":
            result["contentEncoding"] = "base64"
    if kind in ("integer", "number"):
        result.update(constraints.bounds(node, kind))
    return result


def _of_kind(whole: JsonObject, kind: str, *, alone: bool) -> list[JsonObject]:
    """Return the schema `whole` as alternatives of the type `kind`, with only the enum values of this type. An empty
    string in the enum gets an alternative of its own.

    `alone`: True if `kind` is the only type of `whole`, apart from null. Then enum values are not selected by type. If
    the only type is `string`, numbers and booleans in the enum become strings, since YAML reads an unquoted `1` as a
    number.
    """
    values = as_list(whole.get("enum"))
    if not values:
        return [whole if whole.get("type") == kind else {**whole, "type": kind}]
    if kind == "string" and alone:
        values = [spoken for value in values if (spoken := constraints.as_written(value)) is not None]
    elif not alone:
        values = [value for value in values if type_of(value) in (kind, "integer" if kind == "number" else kind)]
    full: list[JsonValue] = [value for value in values if value != ""]
    empty: list[JsonObject] = [{"type": "string", "enum": [""]}] if len(full) < len(values) else []
    return ([{**whole, "type": kind, "enum": full}] if full else []) + empty


def _default_of(node: JsonObject, members: list[JsonValue] | list[JsonObject]) -> JsonObject:
    """Return the keyword `default` of `node` if one of the schemas `members` accepts the value, else {}.

    A value that is written as text is converted to the type of that schema.
    """
    if node.get("default") is None:
        return {}
    for member in members:
        value = constraints.fitting(node["default"], as_object(member))
        if value is not None:
            return {"default": value}
    return {}


def _without_text(members: list[JsonValue], text: JsonValue) -> list[JsonValue]:
    """Return the alternatives of a union, without descriptions that only repeat `text`, the union's description."""
    return [
        {key: value for key, value in as_object(member).items() if key != "description" or value != text}
        for member in members
    ]


def _with_null(node: JsonObject) -> JsonObject:
    """Return `node` with null as an alternative."""
    if {"type": "null"} in as_list(node.get("anyOf")):
        return node
    outer: JsonObject = {keyword: node[keyword] for keyword in _OUTSIDE_NULL if keyword in node}
    inner: JsonObject = {keyword: value for keyword, value in node.items() if keyword not in outer}
    branches = as_list(inner["anyOf"]) if set(inner) == {"anyOf"} else [inner]
    return {"anyOf": [*branches, {"type": "null"}], **outer}
