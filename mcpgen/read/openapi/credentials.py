"""Find inputs that a model should not fill in: credentials, parts of signatures, the header field Accept, the version
of the API, and technical options that nearly every operation of an API has, such as `prettyPrint`.

A parameter is judged by its place, name and description, and by how many operations have it. A credential gets an
environment variable, as if the document declared a security scheme for it.

A member of a form is removed as a credential if three things agree. Parameters of the same name are credentials
elsewhere in the document. The member's description begins like a credential's. The operation requires a declared
security scheme.

A parameter that names the version of the API is taken away if all operations have the same default for it. A required
one, such as the header `X-Pinecone-Api-Version`, gets its default as its only value, which the server sends. An
optional one is left out, since the API assumes its default.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.jsonvalue import JsonObject, JsonValue, as_list, as_object, as_text
from mcpgen.base.names import clipped, fold, words
from mcpgen.model import API_KEY, HTTP_SCHEMES, SETTING, MediaType, Operation, Parameter, RequestBody, SecurityScheme

Verdict = Literal["credential", "signature", "setting", "declared", "accept"]

USUAL = 0.9
"""A parameter in more than this share of the operations is an option of the whole API."""

FEWEST = 5
"""Least number of operations for which the share of operations with a parameter is meaningful."""


def _split(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\S+", text))


_NAMES = _split("apikey apitoken accesstoken authtoken authkey authapikey subscriptionkey oauthtoken oauthaccesstoken")
"""Folded names (`base.names.fold`) that mean a credential in any place, also after a prefix such as `x`."""

_BEFORE = re.compile(r"^(?:x|ocpapim)+")

_HEADER_ENDINGS = (
    *("apikey", "apitoken", "accesstoken", "accesskey", "authtoken", "authkey", "subscriptionkey", "privatetoken"),
    *("applicationkey", "appkey", "apptoken", "secretkey", "apisecret", "appsecret", "clientsecret", "sessiontoken"),
    *("registryauth", "usertoken", "bearertoken", "authorization"),
)
"""Endings of folded header names that mean a credential. The name of a vendor may precede them."""

_BARE = _split("key token secret password auth passwd pwd apisecret appid")
"""Ambiguous folded names: credentials in some APIs, search parameters in others."""

_OTHER_TOKENS = _split("""
    page next previous prev continuation continue cursor sync upload idempotency csrf xsrf crumb device push invite
    invitation reset verification confirmation payment card source cart share
    """)
"""Words that, together with `key` or `token`, name data of the API instead of a credential, such as `page_token`."""

_SAID = re.compile(
    r"^\W*(?:(?:the|an?|your|user|account|valid|unique|registered|personal|private|public|secret|optional|own|of|"
    r"required|oauth ?2?\.?0?|aqi|developer|application|app|client|customer|web ?service)\W+)*"
    r"(?:api|access|auth\w*|subscription|bearer|secret|oauth ?2?\.?0?)[ _-]?(?:api[ _-]?)?(?:key|token|secret)\b",
    re.IGNORECASE,
)
"""Pattern of descriptions that begin with the name of a credential, such as "Your API key"."""

_SIGNATURES = _split("""
    xamzalgorithm xamzcontentsha256 xamzcredential xamzdate xamzsecuritytoken xamzsignature xamzsignedheaders
    awsaccesskeyid
    """)
"""Folded names of the parameters with which AWS signs requests (Signature Version 2 and 4)."""

REQUEST_IDS = _split("""
    xrequestid xcorrelationid correlationid xtrackingid trackingid xclientrequestid requestid xtraceid traceid
    """)
"""Folded names of headers by which a client numbers its requests."""

_PLUMBING = REQUEST_IDS | _split("""
    alt callback prettyprint pp quotauser userip uploadtype uploadprotocol xgafv strict pretty
    zuoratrackid zuoraentityids
    """)
"""Folded names of technical parameters that some APIs accept on every request, independent of the operation.

`fields` is not among them, because it saves tokens.
"""


def withhold(
    operations: Iterable[Operation], schemes: Iterable[SecurityScheme], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """Return `operations` without parameters that must not become arguments. Report each removed parameter once, with
    the number of operations that have it.

    `schemes`: the declared security schemes. Removed parameters stay in `Operation.withheld`, so that an override can
    turn them into arguments again.
    """
    operations = tuple(operations)
    counts = Counter(slot for each in operations for slot in {(p.location, fold(p.name)) for p in each.parameters})
    optional = {(p.location, fold(p.name)) for each in operations for p in each.parameters if p.required}
    declared = tuple(schemes)
    total = len(operations)

    authorized = not declared or any(map(_is_authorization, declared))

    def judge(parameter: Parameter) -> Verdict | None:
        if authorized and parameter.location == "header" and fold(parameter.name) == "authorization":
            return "declared"
        if parameter.location == "header" and parameter.name.lower() == "accept":
            return "accept"
        slot = parameter.location, fold(parameter.name)
        usual = total >= FEWEST and counts[slot] > USUAL * total
        found = verdict(parameter, usual=usual)
        if found == "setting" and slot in optional:
            return None
        return found

    judged = [[(each, judge(each)) for each in operation.parameters] for operation in operations]
    found = [[(each, kind) for each, kind in one if kind] for one in judged]
    if not any(found):
        return operations
    schemes_by_slot = _schemes([each for one in found for each in one], declared)
    _report([each for one in found for each in one], diagnostics)
    return tuple(
        replace(
            operation,
            parameters=tuple(each for each, kind in one if kind is None),
            credentials=operation.credentials + _filled(taken, schemes_by_slot),
            withheld=tuple(each for each, _ in taken if not _is_authorization(scheme_of(each))),
        )
        if taken
        else operation
        for operation, one, taken in zip(operations, judged, found, strict=True)
    )


# A model must not be asked for a secret, and a parameter that is no secret must stay an argument
# (docs/decisions/compiling.md).
def verdict(parameter: Parameter, *, usual: bool = False) -> Verdict | None:
    """Return why no model may fill in this parameter, or None if it may become an argument.

    `usual`: True if nearly all operations of the document have the parameter.
    """
    if parameter.location not in ("header", "query", "cookie"):
        return None
    name = fold(parameter.name)
    if name in _SIGNATURES or (parameter.location == "header" and name.endswith("signature")):
        return "signature"
    if parameter.is_credential or _is_credential(parameter, name, usual):
        return "credential"
    return "setting" if usual and name in _PLUMBING and not parameter.required else None


def _is_credential(parameter: Parameter, name: str, usual: bool) -> bool:
    parts = words(parameter.name)
    if _OTHER_TOKENS.intersection(parts):
        return False
    if _BEFORE.sub("", name) in _NAMES or (parameter.location == "header" and name.endswith(_HEADER_ENDINGS)):
        return True
    bare = _BEFORE.sub("", name) in _BARE
    if is_called_credential(parameter.description):
        # A description "API key that …" may also describe a filter by an API key, so the parameter's name must look
        # like a credential too.
        return bare or parts[-1:] in (["key"], ["token"], ["secret"], ["auth"])
    return bare and usual and name in ("token", "auth", "secret")


def is_called_credential(description: str) -> bool:
    """Return True if the description begins with the name of a credential, such as "Your API key"."""
    return _SAID.match(description) is not None


# A parameter with the same value in every call is set like a credential, so it becomes a scheme without a secret.
def scheme_of(parameter: Parameter, name: str | None = None) -> SecurityScheme:
    """Return a security scheme called `name` for a parameter that carries a credential."""
    assert parameter.location in ("header", "query", "cookie"), "the others carry no credential"
    words = parameter.description
    if parameter.location == "header" and fold(parameter.name) == "authorization":
        basic = bool(re.match(r"\W*basic\b", words, re.IGNORECASE))
        return SecurityScheme(name or parameter.name, HTTP_SCHEMES["basic" if basic else "bearer"], description=words)
    return SecurityScheme(name or parameter.name, API_KEY, parameter.location, parameter.name, words)


def _is_authorization(scheme: SecurityScheme) -> bool:
    """Return True if the scheme is sent in the Authorization header."""
    return (scheme.location, fold(scheme.wire_name)) == ("header", "authorization")


_UNFILLED: tuple[Verdict, ...] = ("signature", "declared", "accept")
"""Kinds of withheld parameters that get no environment variable of their own."""

_UNDECLARED = ("token", "header")
"""Names that default schemes may get, if the document declares no schemes (`lower/request/security.py`)."""

Taken = list[tuple[Parameter, Verdict]]


def _schemes(taken: Taken, declared: Iterable[SecurityScheme]) -> dict[tuple[str, str], SecurityScheme]:
    """Return the security scheme for each place (location, and name folded by `fold`) that credential parameters fill.

    If a name occurs in two places, it gets two schemes that share one environment variable.
    """
    found: dict[tuple[str, str], SecurityScheme] = {}
    names = {*_UNDECLARED, *(each.name for each in declared)}
    for parameter, kind in sorted(taken, key=lambda each: (each[0].location, each[0].name)):
        slot = parameter.location, fold(parameter.name)
        if kind in _UNFILLED or slot in found:
            continue
        name = parameter.name if parameter.name not in names else f"{parameter.name} ({parameter.location})"
        scheme = scheme_of(parameter, name)
        names.add(name)
        found[slot] = replace(scheme, text=SETTING) if kind == "setting" else scheme
    return found


def _filled(taken: Taken, by: dict[tuple[str, str], SecurityScheme]) -> tuple[SecurityScheme, ...]:
    slots = ((each.location, fold(each.name)) for each, kind in taken if kind not in _UNFILLED)
    return tuple(dict.fromkeys(by[slot] for slot in slots))


_WORDS: dict[Verdict, tuple[str, str]] = {
    "credential": (
        "is a credential, so it is not an argument",
        "The server sends the value of an environment variable instead. To make the parameter an argument, write "
        "`credential: false` in an override.",
    ),
    "declared": (
        "is not an argument, because the server sends its credentials there",
        "Set the environment variable that holds the API's token.",
    ),
    "accept": (
        "is not an argument, because the server sets it: the document's fixed value, or the media types "
        "that the server reads",
        "To send another value, set a `const` or `default` in the parameter's schema.",
    ),
    "signature": (
        "is part of a signature, which a model cannot compute",
        "Sign requests in hooks.py, or make the parameter an argument with `credential: false` in an override.",
    ),
    "setting": (
        "is the same for all operations, so it is not an argument",
        "The server sends the value of the environment variable that is named after the parameter, if the variable is "
        "set. To make the parameter an argument, write `credential: false` in an override.",
    ),
}


def _report(taken: Taken, diagnostics: Diagnostics) -> None:
    """Report each parameter that must not become an argument, once, with the number of operations that have it."""
    first: dict[tuple[str, str, Verdict], Parameter] = {}
    counts = Counter[tuple[str, str, Verdict]]()
    for parameter, kind in taken:
        key = (str(parameter.location), parameter.name, kind)
        first.setdefault(key, parameter)
        counts[key] += 1
    for key, parameter in first.items():
        says, hint = _WORDS[key[2]]
        many = f" ({counts[key]} operations)" if counts[key] > 1 else ""
        message = f"The {parameter.location} parameter {parameter.name} {says}{many}."
        diagnostics.add("credential-parameter", message, parameter.where, hint)


def with_credential(operation: Operation, name: str, is_one: bool) -> Operation | None:
    """Return `operation` with its parameter `name` turned into a credential if `is_one`, else into an argument.

    Return None if there is no such parameter.
    """
    given, taken = operation.parameters, operation.withheld
    found = [each for each in (given if is_one else taken) if each.name == name]
    found = [each for each in found if each.location in ("header", "query", "cookie") and each.name.lower() != "accept"]
    if not found:
        return operation if any(each.name == name for each in (taken if is_one else given)) else None
    if not is_one:
        slots = {(each.location, each.name) for each in found}
        kept = (each for each in operation.credentials if (each.location, each.wire_name) not in slots)
        return replace(
            operation,
            parameters=(*given, *found),
            credentials=tuple(kept),
            withheld=tuple(each for each in taken if each not in found),
        )
    front = operation.decided.prefix or "_".join(words(operation.document))
    label = "_".join(filter(None, (front, name)))
    # The scheme's name ends in the parameter's `in`, such as ` (header)`, to differ from names of declared schemes.
    schemes = (scheme_of(each, f"{label} ({each.location})") for each in found)
    return replace(
        operation,
        parameters=tuple(each for each in given if each not in found),
        credentials=(*operation.credentials, *schemes),
        withheld=(*taken, *found),
    )


_MOST_REFERENCES = 5
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def withhold_members(
    operations: Iterable[Operation], definitions: Mapping[str, JsonObject], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """Return `operations` without form members that are credentials. Report the name of each removed member once."""
    operations = tuple(operations)
    known = {fold(each.name) for one in operations for each in one.withheld if verdict(each) == "credential"}
    if not known:
        return operations
    changed: list[Operation] = []
    taken: dict[str, list[Operation]] = {}
    for operation in operations:
        needed = operation.security.alternatives
        names = _names(operation.body, known, definitions) if operation.body and needed and all(needed) else ()
        for name in names:
            taken.setdefault(name, []).append(operation)
        changed.append(replace(operation, body=_without(operation.body, names, definitions)) if names else operation)
    for name, of in taken.items():
        many = f" ({len(of)} operations)" if len(of) > 1 else ""
        message = f"The form member {clipped(name)} is a credential, so it is not an argument{many}."
        diagnostics.add(
            "credential-parameter",
            message,
            of[0].where,
            "Instead of this form member, the server sends the credential of the security scheme.",
        )
    return tuple(changed)


def _names(body: RequestBody, known: set[str], definitions: Mapping[str, JsonObject]) -> list[str]:
    """Return the names of a body's form members that are credentials.

    `known`: names of parameters that are credentials elsewhere in the document, as `fold` returns them: two names that
    servers may treat as equal have one folded name.
    """
    schemas = [found_schema(each.schema, definitions) for each in body.content if _is_form(each)]
    members = {name: member for schema in schemas for name, member in as_object(schema.get("properties")).items()}
    return [name for name, member in members.items() if fold(name) in known and _is_called(member, definitions)]


def _is_form(media_type: MediaType) -> bool:
    return media_type.name.partition(";")[0].strip().lower() in _FORMS


def found_schema(schema: JsonValue, definitions: Mapping[str, JsonObject]) -> JsonObject:
    """Return the schema that `schema` refers to, if `$ref` is its only keyword; else `schema` itself.

    A schema with a broken reference is returned unchanged.
    """
    own = as_object(schema)
    return definitions.get(as_text(own["$ref"]), own) if own.keys() == {"$ref"} else own


def _is_called(member: JsonValue, definitions: Mapping[str, JsonObject]) -> bool:
    found = as_object(member)
    for _ in range(_MOST_REFERENCES):
        found = found_schema(found, definitions)
    return is_called_credential(as_text(found.get("description")))


def _without(body: RequestBody | None, names: Iterable[str], definitions: Mapping[str, JsonObject]) -> RequestBody:
    assert body is not None, "it had members"
    left = frozenset(names)
    return replace(body, content=tuple(_without_members(each, left, definitions) for each in body.content))


def _without_members(media_type: MediaType, names: frozenset[str], definitions: Mapping[str, JsonObject]) -> MediaType:
    schema = found_schema(media_type.schema, definitions)
    members = {key: each for key, each in as_object(schema.get("properties")).items() if key not in names}
    if not _is_form(media_type) or len(members) == len(as_object(schema.get("properties"))):
        return media_type
    required: list[JsonValue] = [key for key in as_list(schema.get("required")) if key not in names]
    return replace(media_type, schema={**schema, "properties": members, "required": required})


Slot = tuple[str, str]


def fix_version_parameters(
    operations: tuple[Operation, ...], definitions: Mapping[str, JsonObject], diagnostics: Diagnostics
) -> tuple[Operation, ...]:
    """Return `operations` in which these parameters are constants or left out. Report each of them once."""
    counts, defaults = Counter[Slot](), dict[Slot, list[JsonValue]]()
    first: dict[Slot, Parameter] = {}
    for parameter in (each for operation in operations for each in operation.parameters if _names_version(each)):
        slot = _slot(parameter)
        counts[slot] += 1
        first.setdefault(slot, parameter)
        default = found_schema(parameter.schema, definitions).get("default")
        if default not in (known := defaults.setdefault(slot, [])):
            known.append(default)
    is_usual = len(operations) >= FEWEST
    fixed = {
        slot: values[0]
        for slot, values in defaults.items()
        if is_usual and counts[slot] > USUAL * len(operations) and len(values) == 1 and values[0] is not None
    }
    for slot, value in fixed.items():
        message = (
            f"The {slot[0]} parameter {first[slot].name} has the default {clipped(str(value))} in all operations, so it"
            " is not an argument."
        )
        hint = "To send another value, give the parameter a `value` in an override for all operations."
        diagnostics.add("credential-parameter", message, first[slot].where, hint)
    return tuple(_fixed(operation, fixed) for operation in operations) if fixed else operations


def _names_version(parameter: Parameter) -> bool:
    return parameter.location in ("header", "query") and fold(parameter.name).endswith("version")


def _slot(parameter: Parameter) -> Slot:
    return parameter.location, fold(parameter.name)


def _fixed(operation: Operation, values: Mapping[Slot, JsonValue]) -> Operation:
    kept: list[Parameter] = []
    left_out: list[Parameter] = []
    for each in operation.parameters:
        if _slot(each) not in values:
            kept.append(each)
        elif each.required:
            kept.append(replace(each, schema={**each.schema, "enum": [values[_slot(each)]]}))
        else:
            left_out.append(each)
    return replace(operation, parameters=tuple(kept), withheld=(*operation.withheld, *left_out))
