"""List mutations that remove safety checks on a release: what it contains, and which values it asks its users for."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

RELEASES = "tests/bundle/test_releases.py"
PROJECT, SETTINGS = "mcpgen/bundle/project.py", "mcpgen/bundle/settings.py"

PLANTED = ("tests/hostile/test_planted_secrets.py",)
RANDOM = "mcpgen/base/secrets.py"
OTHERS = "mcpgen/bundle/project.py"

OF_BUNDLES = (
    Mutation(
        "secrets of a document",
        "mcpgen/read/document/library.py",
        "document = redacted(load(name, data, self._diagnostics, self.memory), self._diagnostics)",
        "document = load(name, data, self._diagnostics, self.memory)",
        PLANTED,
    ),
    Mutation(
        "secrets in findings",
        "mcpgen/base/diagnostics.py",
        "if (message := without_secrets(self.message)) !=",
        "if (message := self.message) !=",
        PLANTED,
    ),
    Mutation(
        "random values",
        RANDOM,
        "return _HEX_VALUE.fullmatch(value) is not None or",
        "return False and",
        ("tests/unit/test_random_text.py",),
    ),
    Mutation(
        "paths with signs of passwords",
        RANDOM,
        "if not _is_like_password(value) and (",
        "if (",
        ("tests/unit/test_random_text.py",),
    ),
    Mutation(
        "signs of a value after a secret name",
        "mcpgen/base/secrets.py",
        "text = _SIGNED.sub(_without_signed, text)",
        "pass",
        ("tests/unit/test_random_text.py", "tests/hostile/test_planted_secrets.py"),
    ),
    Mutation(
        "random parts of a text",
        RANDOM,
        "return len(text) >= SHORTEST_IN_TEXT and",
        "return False and",
        ("tests/unit/test_random_text.py",),
    ),
    Mutation(
        "secrets in a tools file of adopt",
        "mcpgen/adopt/toolsfile.py",
        r'return without_secrets("\n".join(lines)) + "\n"',
        r'return "\n".join(lines) + "\n"',
        PLANTED,
    ),
    Mutation(
        "key files and backups at home", OTHERS, "if reason := _refusal(path, data):", "if reason := ():", (RELEASES,)
    ),
    Mutation("files that nothing imports", OTHERS, "if path not in imported)", "if path in ())", (RELEASES,)),
    Mutation(
        "hidden files at home",
        PROJECT,
        'if name.startswith(".") or name.endswith((".pyc", ".pyo")):',
        'if name.endswith((".pyc", ".pyo")):',
        (RELEASES,),
    ),
    Mutation("links at home", PROJECT, "sorted([*names, *links])", "sorted(names)", (RELEASES,)),
    Mutation("edited files", PROJECT, "if digest(files[path]) != generated[path]", "if False", (RELEASES,)),
    Mutation("missing files", PROJECT, "if missing := sorted(ours - files.keys()):", "if missing := []:", (RELEASES,)),
    Mutation("variables in a default", SETTINGS, '"$" not in text and ', "", (RELEASES,)),
    Mutation(
        "characters in a description",
        SETTINGS,
        'line = shown(" ".join(purpose.split()))',
        "line = purpose",
        (RELEASES,),
    ),
    Mutation(
        "a base URL of several origins",
        SETTINGS,
        "is_alone and origins.described(header) ==",
        "is_alone or header ==",
        (RELEASES,),
    ),
    Mutation(
        "what a form insists on", SETTINGS, "row.required and row.variable not in partial", "row.required", (RELEASES,)
    ),
    Mutation(
        "a default for what is optional",
        "mcpgen/bundle/manifest.py",
        '        entry["default"] = False if setting.kind == "switch" else setting.default\n',
        "        pass\n",
        (RELEASES,),
    ),
    Mutation(
        "files of others in the output",
        "mcpgen/cli/bundle.py",
        "there == made[name] or (name in known if name != SUMS else bool(known))",
        "True",
        (RELEASES,),
    ),
    Mutation(
        "the environment of a build",
        "mcpgen/bundle/artifacts.py",
        '{"SOURCE_DATE_EPOCH": str(epoch), ',
        "{",
        (RELEASES,),
    ),
)
