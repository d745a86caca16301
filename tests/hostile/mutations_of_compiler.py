"""List mutations of the compiler: a text in a file, its replacement, and the tests that must then fail.

`python -m tests.hostile.broken --of compiler` applies the replacements one at a time.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases
from tests.hostile.mutations_of_bundles import OF_BUNDLES
from tests.hostile.mutations_of_callers import OF_CALLERS_COMPILED
from tests.hostile.mutations_of_foreign_files import OF_FOREIGN_FILES
from tests.hostile.mutations_of_lowering import OF_LOWERING
from tests.hostile.mutations_of_questions import OF_SECRETS
from tests.hostile.mutations_of_servers import OF_SERVERS

DIFFERENCES = "tests/cases/test_differences.py"
NAMING, LOCK = "tests/unit/test_naming.py", "tests/unit/test_lock.py"
MATCHING = "tests/unit/test_match_operations.py"
CHANGELOG, MERGES = "tests/unit/test_changelog.py", "tests/functional/test_merges.py"
LOST_LOCK = "tests/functional/test_lost_lock.py"
SUCCESSIVE, APART = "tests/functional/test_successive.py", "tests/functional/test_apart.py"


OF_READING = (
    Mutation(
        "colons that name no parameter",
        "mcpgen/read/openapi/paths.py",
        'each[:1] == ":" and each[1:] in names',
        'each[:1] == ":"',
        cases("paths/colons"),
    ),
    Mutation(
        "nulls of examples",
        "mcpgen/read/translate/postman/examples.py",
        "    if ANY_OR_NULL in (one, other):",
        "    if False:",
        cases("front_ends/postman_constants"),
    ),
    Mutation(
        "web pages",
        "mcpgen/read/document/load.py",
        "if not text.lstrip()[:20].lower().startswith(_BEGINNINGS):",
        "if True:",
        ("tests/unit/test_web_page.py",),
    ),
    Mutation(
        "a reference out of the folder",
        "mcpgen/read/openapi/references.py",
        "if _NOT_A_FILE.search(address) or _NOT_A_FILE.search(path):",
        "if False:",
        cases("references/foreign"),
    ),
    Mutation("a login at the root", "mcpgen/merge/logins.py", ' or "./"\n', "\n", cases("toolsfile/login_root")),
    Mutation(
        "a loop of references",
        "mcpgen/read/openapi/references.py",
        "if not isinstance(reference, str):",
        "if not isinstance(reference, str) or where != start:",
        cases("references/loops", "references/local"),
    ),
    Mutation(
        "a parameter again at the operation",
        "mcpgen/read/openapi/parameters.py",
        '            found[compact(raw.get("name")), compact(raw.get("in"))] = raw, place',
        '            found.setdefault((compact(raw.get("name")), compact(raw.get("in"))), (raw, place))',
        cases("parameters/same_twice"),
    ),
    Mutation(
        "fields of HTTP as arguments",
        "mcpgen/read/openapi/parameters.py",
        'return name.lower().replace("_", "-") in NOT_ARGUMENTS',
        "return name in NOT_ARGUMENTS",
        cases("parameters/header_and_cookie", "parameters/credentials"),
    ),
    Mutation(
        "the style of a place",
        "mcpgen/read/openapi/parameters.py",
        '"path": ("simple", "label", "matrix")',
        '"path": ("simple", "matrix")',
        cases("parameters/path_styles"),
    ),
    Mutation(
        "depth of a JSON document",
        "mcpgen/read/document/json_text.py",
        "    if jsonrpc.is_deeper(value, budgets.DEPTH):",
        "    if False:",
        cases("reading/too_deep_json"),
    ),
    Mutation(
        "a key that stands twice in a document",
        "mcpgen/read/document/json_text.py",
        "if len(result) != len(pairs):",
        "if False:",
        cases("reading/duplicate_keys_json"),
    ),
    Mutation(
        "a redirect to plain HTTP",
        "mcpgen/read/fetch/redirects.py",
        'if parts.scheme == "https" and new.scheme == "http":',
        "if False:",
        ("tests/unit/test_redirects.py",),
    ),
)

OF_NAMES = (
    Mutation(
        "singular of a plural",
        "mcpgen/naming/verbs.py",
        'return word[:-1] if word[:-1] in _IN_IE else word[:-3] + "y"',
        'return word[:-3] + "y"',
        (NAMING,),
    ),
    Mutation(
        "names that others own",
        "mcpgen/naming/tool_names.py",
        "return name in self.used or not self.owners.get(str(name), frozenset()) <= {self.key}",
        "return name in self.used",
        (NAMING, SUCCESSIVE),
    ),
    Mutation(
        "the longest name",
        "mcpgen/naming/tool_names.py",
        'return len("_".join(found)) <= longest',
        'return len("".join(found)) <= longest',
        (NAMING,),
    ),
    Mutation(
        "the path that a framework appends",
        "mcpgen/naming/operation_ids.py",
        'if rest_of_id in ("", identifier):',
        "if True:",
        (NAMING,),
    ),
    Mutation(
        "the version of a path",
        "mcpgen/naming/operation_ids.py",
        "return (rest if len(known) == 1 else rest + version) if rest else found",
        "return rest or found",
        (NAMING,),
    ),
)

OF_PROJECTS = (
    Mutation(
        "conflict marks of a merge",
        "mcpgen/regenerate/publish/present.py",
        "    _refuse_conflicts(directory, LARGEST)\n",
        "",
        (MERGES,),
    ),
    Mutation(
        "unknown changes at a gate",
        "mcpgen/cli/writing.py",
        "not self.succession.compared or ",
        "",
        (CHANGELOG,),
    ),
    Mutation(
        "a version that unknown changes raise",
        "mcpgen/regenerate/regenerate.py",
        "if files and difference is not None and not compiled.pinned:",
        "if files and not compiled.pinned:",
        (CHANGELOG,),
    ),
    Mutation(
        "edits by hand without a lock",
        "mcpgen/regenerate/publish/planning.py",
        "is_rebuilt = previous is not None and previous.rebuilt",
        "is_rebuilt = False",
        (LOST_LOCK,),
    ),
)

OF_LOCKS = (
    Mutation(
        "a key that stands twice in a lock",
        "mcpgen/lock/lockfile.py",
        "if len(found) != len(pairs):",
        "if False:",
        (LOCK,),
    ),
    Mutation(
        "paths of a lock",
        "mcpgen/lock/lockfile.py",
        "            check_contained(path)\n",
        "",
        (LOCK,),
    ),
    Mutation(
        "the word that accepts an origin",
        "mcpgen/lock/lockfile.py",
        "return {origin: word == _WORDS[True] for",
        "return {origin: bool(word) for",
        ("tests/unit/test_lock.py::test_one_word_alone_accepts_an_origin",),
    ),
    Mutation(
        "names that are retired",
        "mcpgen/lock/fingerprint.py",
        "retired = {**before.retired, **former, **derived}",
        "retired = {**former, **derived}",
        (SUCCESSIVE,),
    ),
    Mutation(
        "arguments in a fingerprint",
        "mcpgen/lock/fingerprint.py",
        "return _digest(method, [*own], _arguments(schema)) if own else",
        "return _digest(method, [*own]) if own else",
        ("tests/unit/test_fingerprint.py",),
    ),
    Mutation(
        "ids that contradict",
        "mcpgen/lock/match_operations.py",
        "return not (old.id and new.id) or _plain(old.id) == _plain(new.id)",
        "return True",
        (MATCHING,),
    ),
    Mutation(
        "a match that is not the only one",
        "mcpgen/lock/match_operations.py",
        "found[identity] = None if identity in found else key",
        "found[identity] = key",
        (MATCHING,),
    ),
    Mutation(
        "a prefix of few",
        "mcpgen/lock/match_operations.py",
        "return found if len(found) >= _FEWEST and 2 * len(found) > len(gone) else {}",
        "return found",
        (MATCHING,),
    ),
)

OF_DIFFERENCES = (
    Mutation(
        "the side of an argument",
        "mcpgen/regenerate/diff/rules.py",
        'grade: Grade = "breaking" if place.narrowed else "additive"',
        'grade: Grade = "breaking" if place.widened else "additive"',
        (DIFFERENCES,),
    ),
    Mutation(
        "the side of a result",
        "mcpgen/regenerate/diff/rules.py",
        'grade: Grade = "breaking" if place.widened else "additive"',
        'grade: Grade = "breaking" if place.narrowed else "additive"',
        (DIFFERENCES,),
    ),
    Mutation(
        "a hint that is lifted",
        "mcpgen/regenerate/diff/tools.py",
        'safer = "hint-lifted" if hint in _ASKED_BY else "safer"',
        'safer = "safer"',
        (DIFFERENCES,),
    ),
    Mutation(
        "what a pointer covers",
        "mcpgen/regenerate/diff/tools.py",
        'pointer.startswith(f"{each}/")',
        "pointer.startswith(each)",
        (DIFFERENCES,),
    ),
    Mutation(
        "an argument under another name",
        "mcpgen/regenerate/diff/tools.py",
        "    renamed = _renamed(old, new, places)",
        "    renamed: dict[str, str] = {}",
        (DIFFERENCES,),
    ),
    Mutation(
        "a token origin",
        "mcpgen/regenerate/diff/server.py",
        '    if was != now:\n        yield rules.of_server("token-origin"',
        '    if False:\n        yield rules.of_server("token-origin"',
        (DIFFERENCES,),
    ),
    Mutation(
        "a credential in the URL",
        "mcpgen/regenerate/diff/server.py",
        'code = "credential-in-url" if after.startswith("query ") else "credential-moved"',
        'code = "credential-moved"',
        (DIFFERENCES,),
    ),
    Mutation(
        "conditions of a schema",
        "mcpgen/regenerate/diff/variance/__init__.py",
        "if not outer.conditions <= inner.conditions:",
        "if False:",
        ("tests/diff/test_variance.py",),
    ),
    Mutation(
        "a pair that rests on another",
        "mcpgen/regenerate/diff/variance/__init__.py",
        "self._waiting += self._relying.pop(pair, ())",
        "self._relying.pop(pair, ())",
        ("tests/diff/test_variance.py",),
    ),
)

OF_MERGING = (
    Mutation(
        "credentials of the first document's server",
        "mcpgen/merge/merge_documents.py",
        "required = owner.required if at[:1] == first[:1] else UNDECLARED",
        "required = owner.required",
        cases("documents/security_at_another_server"),
    ),
    Mutation(
        "a name that two documents demand",
        "mcpgen/merge/merge_documents.py",
        "wanted[operation.decided.name] > 1",
        "wanted[operation.decided.name] > 2",
        cases("documents/collisions", "documents/same_name"),
    ),
    Mutation(
        "origins that must be accepted",
        "mcpgen/merge/merge_documents.py",
        "return replace(found, unconfirmed=frozenset(_named_origins(found)) - {after})",
        "return found",
        ("tests/functional/test_origins.py",),
    ),
    Mutation(
        "two servers of one name",
        "mcpgen/merge/unique_prefixes.py",
        'return ServerPlace(at[0].url.rstrip("/"), tuple((each.name, each.default) for each in at[0].variables))',
        'return ServerPlace("")',
        (APART,),
    ),
)

OF_EMITTING = (
    Mutation(
        "quotes in TOML",
        "mcpgen/emit/sinks.py",
        '    if character in \'"\\\\\':\n        return "\\\\" + character\n    code = ord(character)\n    if 0x20',
        "    code = ord(character)\n    if 0x20",
        ("tests/unit/test_sinks.py",),
    ),
    Mutation(
        "backticks in Markdown",
        "mcpgen/emit/sinks.py",
        'fence = "`" * (longest + 1)',
        'fence = "`"',
        ("tests/unit/test_sinks.py",),
    ),
    Mutation(
        "markup beside code spans",
        "mcpgen/emit/sinks.py",
        r'else _MARKDOWN.sub(r"\\\1", part) for at',
        "else part for at",
        ("tests/unit/test_sinks.py",),
    ),
    Mutation(
        "the digest of the tools",
        "mcpgen/emit/table.py",
        '"digest": _digest(tools),',
        '"digest": _digest(b""),',
        ("tests/hostile/test_emission.py",),
    ),
    Mutation(
        "the need for a confirmation",
        "mcpgen/emit/table.py",
        'None if tool.confirm == "never" else tool.confirm',
        "None",
        cases("confirm/tools_file", "confirm/settings"),
    ),
    Mutation(
        "names that differ in case alone",
        "mcpgen/check/catalog.py",
        "elif tool.name.casefold() in names:",
        "elif tool.name in names:",
        ("tests/unit/test_wall.py",),
    ),
    Mutation(
        "the wall",
        "mcpgen/check/catalog.py",
        "    if problem is not None:\n        yield _reason(tool, *problem)\n    elif tool",
        "    if False:\n        yield _reason(tool, *problem)\n    elif tool",
        ("tests/unit/test_wall.py",),
    ),
)

OF_COMPILER = (
    *OF_READING,
    *OF_LOWERING,
    *OF_NAMES,
    *OF_LOCKS,
    *OF_PROJECTS,
    *OF_DIFFERENCES,
    *OF_MERGING,
    *OF_EMITTING,
    *OF_CALLERS_COMPILED,
    *OF_BUNDLES,
    *OF_SECRETS,
    Mutation(
        "a certificate for the origin of a document alone",
        "mcpgen/read/fetch/network.py",
        "any(self._certificate) and is_same_origin(url, self._home)",
        "any(self._certificate)",
        ("tests/functional/test_client_certificates.py",),
    ),
    Mutation(
        "fields of HTTP's own for all requests",
        "mcpgen/read/toolsfile/server.py",
        "elif parameters.is_of_http(name):",
        "elif False:",
        cases("toolsfile/headers_wrong"),
    ),
    Mutation(
        "texts of a document in the page's tools file",
        "mcpgen/emit/page/curate.js",
        "JSON.stringify(source)",
        "source",
        ("tests/page/test_curation.py",),
    ),
    Mutation(
        "header fields that hold secrets",
        "mcpgen/read/toolsfile/results.py",
        "if not is_secret_field(each)",
        "if True",
        cases("toolsfile/result_headers_wrong"),
    ),
    *OF_FOREIGN_FILES,
    *OF_SERVERS,
)
