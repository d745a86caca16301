"""List mutations of the code that makes tools of operations: schemas, inputs and requests. `mutations_of_compiler.py`
includes this list.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases

SUCCESSIVE = "tests/functional/test_successive.py"

OF_SCHEMAS = (
    Mutation(
        "the tighter bound",
        "mcpgen/lower/schema/compose.py",
        "self._node[keyword] = _TIGHTEST[keyword](one, other)",
        "self._node[keyword] = other",
        ("tests/unit/test_compose.py",),
    ),
    Mutation(
        "values that both allow",
        "mcpgen/lower/schema/compose.py",
        "both = _in_both(one, other)",
        "both = one",
        ("tests/unit/test_compose.py",),
    ),
    Mutation(
        "alternatives without an allowed value",
        "mcpgen/lower/schema/compose.py",
        "return first is not None and second is not None and not _in_both(first, second)",
        "return False",
        cases("schemas/one_of"),
    ),
    Mutation(
        "demands of both parts",
        "mcpgen/lower/schema/compose.py",
        "self._required.update(dict.fromkeys(map(str, added)))",
        "pass",
        cases("schemas/all_of"),
    ),
    Mutation(
        "recursion",
        "mcpgen/lower/schema/portable.py",
        "return identity in at.trail",
        "return False",
        cases("references/recursion"),
    ),
    Mutation(
        "members of answers alone",
        "mcpgen/lower/schema/portable.py",
        "            if is_read_only:",
        "            if False:",
        cases("schemas/objects", "bodies/json_object"),
    ),
    Mutation(
        "null where it means something",
        "mcpgen/lower/schema/portable.py",
        "return _with_null(emitted) if nullable and keep_null else emitted",
        "return emitted",
        cases("schemas/nullable_3_1"),
    ),
    Mutation(
        "required members that are shown",
        "mcpgen/lower/schema/portable.py",
        "if required := [key for key in required if key in properties]:",
        "if required:",
        cases("schemas/objects", "bodies/json_object"),
    ),
    Mutation(
        "types of a part that is cut off",
        "mcpgen/lower/schema/portable.py",
        'outline = shapes[0] if len(shapes) == 1 else {"anyOf": list[JsonValue](shapes)} if shapes else any_value()',
        "outline = any_value()",
        cases("references/recursion", "schemas/depth"),
    ),
)

OF_INPUTS = (
    Mutation(
        "one argument for two values",
        "mcpgen/lower/inputs/arguments.py",
        "            if _is_repeated(first, other, composer):",
        "            if True:",
        cases("parameters/collisions"),
    ),
    Mutation(
        "the name that an argument had",
        "mcpgen/lower/inputs/arguments.py",
        "    kept = _kept(inputs, promised, former)",
        "    kept: dict[Slot, str] = {}",
        (SUCCESSIVE,),
    ),
    Mutation(
        "a name of another argument",
        "mcpgen/lower/inputs/arguments.py",
        "name not in (elsewhere - {entry.wanted_name}) | {*kept.values()}",
        "name not in kept.values()",
        (SUCCESSIVE,),
    ),
    Mutation(
        "constants of a document",
        "mcpgen/lower/inputs/arguments.py",
        'if not (entry.required or entry.slot[0] == "part") or entry.slot == WHOLE:',
        "if True:",
        cases("parameters/constants"),
    ),
    Mutation(
        "required in an optional body",
        "mcpgen/lower/inputs/arguments.py",
        "slot, name, schema, must and demanded,",
        "slot, name, schema, demanded,",
        cases("bodies/optional_with_required_members"),
    ),
    Mutation(
        "notes on where ids come from",
        "mcpgen/lower/inputs/arguments.py",
        'f"From {entry.source}." if entry.source and entry.source not in text else "",',
        '"",',
        cases("descriptions/producers"),
    ),
)

OF_REQUESTS = (
    Mutation(
        "names that the owner hid",
        "mcpgen/lower/request/bindings.py",
        "    hidden = [slot for slot in slots if not _is_sent(slot, arguments)]",
        "    hidden: list[tuple[str, str]] = []",
        cases("overrides/withheld"),
    ),
    Mutation(
        "fixed parts of the query",
        "mcpgen/lower/request/bindings.py",
        'query=(*fixed, *placed("query")),',
        'query=placed("query"),',
        cases("paths/query_and_fragment"),
    ),
    Mutation(
        "kinds of answers that are asked for",
        "mcpgen/lower/request/bindings.py",
        'ordered = sorted(set(offered), key=lambda name: ("json" not in name, name))[:4]',
        "ordered = sorted(set(offered))[:4]",
        cases("bodies/accepted"),
    ),
    Mutation(
        "masks for dates",
        "mcpgen/lower/schema/patterns.py",
        "if is_date_mask(written):",
        "if False:",
        cases("schemas/wrong_patterns"),
    ),
    Mutation(
        "patterns that match nothing",
        "mcpgen/lower/schema/patterns.py",
        "if matches_nothing(pattern):",
        "if False:",
        cases("schemas/wrong_patterns"),
    ),
    Mutation(
        "values of another type",
        "mcpgen/read/openapi/dialect.py",
        "        _agree(schema)\n",
        "        pass\n",
        cases("schemas/enum_types"),
    ),
    Mutation(
        "media types with a backslash",
        "mcpgen/read/openapi/content.py",
        'name.replace("\\\\/", "/").strip()',
        "name.strip()",
        cases("bodies/escaped_media_type"),
    ),
    Mutation(
        "header fields with secrets",
        "mcpgen/lower/request/bindings.py",
        " if not is_secret_field(name)}",
        "}",
        cases("paths/head"),
    ),
    Mutation(
        "a way without credentials comes last",
        "mcpgen/lower/request/security.py",
        "return tuple(sorted(dict.fromkeys(usable), key=lambda names: not names))",
        "return tuple(dict.fromkeys(usable))",
        cases("security/schemes"),
    ),
    Mutation(
        "variables of two schemes",
        "mcpgen/lower/request/security.py",
        "taken.update(_with_files(variables.values()))",
        "taken.update(())",
        cases("security/variables"),
    ),
    Mutation(
        "defaults that fill templates",
        "mcpgen/lower/inputs/arguments.py",
        "argument.required, default=default)",
        "argument.required)",
        cases("toolsfile/omitted"),
    ),
    Mutation(
        "defaults of a schema by hand",
        "mcpgen/lower/request/bindings.py",
        "fits=fits, defaults=defaults)",
        "fits=fits)",
        cases("toolsfile/omitted"),
    ),
    Mutation(
        "what is lost without an argument",
        "mcpgen/read/toolsfile/tools.py",
        "    requests.report_omissions(inputs.sends, line, where, diagnostics)\n",
        "",
        cases("toolsfile/omitted"),
    ),
    Mutation(
        "files of an array",
        "mcpgen/lower/inputs/bodies.py",
        "    if not declared and not types(inner):",
        "    if not declared and not types(node):",
        cases("bodies/parts_by_type_table"),
    ),
    Mutation(
        "base64 text in a part",
        "mcpgen/lower/request/bindings.py",
        'if binding.part == "text" and transfer is not None:',
        "if False:",
        cases("bodies/parts_by_type_table"),
    ),
)

OF_LOWERING = (*OF_SCHEMAS, *OF_INPUTS, *OF_REQUESTS)
