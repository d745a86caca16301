"""Read the flags and variables of @ivotoby/openapi-mcp-server, as `config.ts` of 1.16.1 does, and derive the names and
ids of its tools.

The rules of names come from `openapi-loader.ts`, `utils/tool-id.ts` and `utils/abbreviations.ts`. Words without a
meaning are left out and frequent words are abbreviated. If a name is still too long, its vowels are removed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from mcpgen.adopt.foreign import (
    CHECKS_CERTIFICATES,
    Described,
    Filters,
    ForeignServer,
    Naming,
    Remark,
    listens_over_http,
)
from mcpgen.adopt.operations import RawOperation
from mcpgen.adopt.programs import flags
from mcpgen.adopt.programs.flags import Arity, Settings, credentials
from mcpgen.base.diagnostics import Where

_LONGEST = 64
_OFFERED = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"})
_SILENT = frozenset(
    [
        "controller", "api", "operation", "handler", "endpoint", "action", "perform", "execute", "retrieve",
        "specify", "for", "and", "the", "with", "from", "into", "onto", "out",
    ]
)  # fmt: skip
_ABBREVIATIONS = dict(
    pair.split("=")
    for pair in [
        "service=Svc", "services=Svcs", "user=Usr", "users=Usrs", "management=Mgmt", "manager=Mgr", "manage=Mng",
        "authority=Auth", "authorities=Auths", "group=Grp", "groups=Grps", "update=Upd", "updating=Upd",
        "updated=Upd", "delete=Del", "deleting=Del", "deleted=Del", "create=Crt", "creating=Crt", "created=Crt",
        "get=Get", "getting=Get", "list=Lst", "listing=Lst", "post=Pst", "put=Put", "patch=Ptch", "request=Req",
        "response=Resp", "parameter=Param", "parameters=Params", "config=Cfg", "configuration=Config",
        "configure=Cfg", "resource=Res", "resources=Resrcs", "identity=Id", "identifier=Id", "identification=Id",
        "identifiers=Ids", "application=App", "account=Acct", "information=Info", "notification=Notif",
        "description=Desc", "summary=Summ", "version=Ver", "value=Val", "values=Vals", "authentication=Authn",
        "authorization=Authz", "specification=Spec", "document=Doc", "documents=Docs", "repository=Repo",
        "repositories=Repos", "experimental=Exp", "deprecated=Depr", "query=Qry",
    ]
)  # fmt: skip
_KEPT = frozenset(word.lower() for word in _ABBREVIATIONS.values())

_VARIABLES = {
    "api-base-url": "API_BASE_URL",
    "openapi-spec": "OPENAPI_SPEC_PATH",
    "spec-from-stdin": "OPENAPI_SPEC_FROM_STDIN",
    "spec-inline": "OPENAPI_SPEC_INLINE",
    "headers": "API_HEADERS",
    "client-cert": "CLIENT_CERT_PATH",
    "client-key": "CLIENT_KEY_PATH",
    "ca-cert": "CA_CERT_PATH",
    "client-key-passphrase": "CLIENT_KEY_PASSPHRASE",
    "reject-unauthorized": "REJECT_UNAUTHORIZED",
    "name": "SERVER_NAME",
    "server-version": "SERVER_VERSION",
    "transport": "TRANSPORT_TYPE",
    "port": "HTTP_PORT",
    "host": "HTTP_HOST",
    "path": "ENDPOINT_PATH",
    "tools": "TOOLS_MODE",
    "disable-abbreviation": "DISABLE_ABBREVIATION",
    "prompts": "PROMPTS_PATH",
    "prompts-inline": "PROMPTS_INLINE",
    "resources": "RESOURCES_PATH",
    "resources-inline": "RESOURCES_INLINE",
    "verbose": "VERBOSE",
}
_FLAGS: dict[str, Arity] = {
    **dict.fromkeys(_VARIABLES, "value"),
    **dict.fromkeys(("tool", "tag", "exclude-tag", "resource", "operation"), "values"),
    **dict.fromkeys(("spec-from-stdin", "disable-abbreviation"), "switch"),
}
_SHORT = {
    "-t": "transport",
    "-p": "port",
    "-u": "api-base-url",
    "-s": "openapi-spec",
    "-H": "headers",
    "-n": "name",
    "-v": "server-version",
}
_TLS = {"client-cert": "NAME_CLIENT_CERT", "client-key": "NAME_CLIENT_KEY", "ca-cert": "NAME_CA_FILE"}


def read(words: Sequence[str], environ: Mapping[str, str], where: Where | None) -> ForeignServer:
    """Return the server that the command line starts."""
    settings = flags.read(words, _FLAGS, _SHORT, environ, _VARIABLES, where)
    remarks = [*settings.remarks, *_remarks(settings, where)]
    mode = settings.text("tools").lower() or "all"
    held = settings.source("headers")
    fields = (part.partition(":") for part in settings.text("headers").split(","))
    sent = [(name.strip(), value.strip(), held) for name, colon, value in fields if colon and name.strip()]
    document = Described(
        "" if settings.has("spec-from-stdin") or settings.text("spec-inline") else settings.text("openapi-spec"),
        settings.text("api-base-url"),
        credentials(sent, remarks, where),
        where=where,
    )
    selected = Filters(
        _folded(settings.texts("tag")),
        _folded(settings.texts("exclude-tag")) or frozenset(),
        tools=_folded(settings.texts("tool")) if mode != "explicit" else _folded(settings.texts("tool")) or frozenset(),
        resources=_folded(settings.texts("resource")),
        methods=_folded(settings.texts("operation")),
    )
    return ForeignServer(
        "ivotoby",
        (document,),
        settings.text("name"),
        filters=selected,
        naming=Naming(abbreviates=not settings.has("disable-abbreviation")),
        searches=mode == "dynamic",
        remarks=tuple(remarks),
    )


def _folded(texts: list[str]) -> frozenset[str] | None:
    """Return the texts in lower case, since ivotoby's server ignores case; None if there are no texts."""
    return frozenset(text.lower() for text in texts) or None


def _remarks(settings: Settings, where: Where | None) -> list[Remark]:
    """Return remarks on settings of @ivotoby/openapi-mcp-server that a tools file cannot express."""
    found = [
        Remark(
            f"{settings.source(flag)} of the old server corresponds to the environment variable {variable} of the new "
            "server.",
            where,
        )
        for flag, variable in _TLS.items()
        if settings.text(flag)
    ]
    if settings.text("client-key-passphrase"):
        said = "The new server cannot read a client key with a passphrase. Save the key without one."
        found.append(Remark(said, where))
    rejects = settings.text("reject-unauthorized").lower() not in ("false", "0", "no", "off")
    if not rejects or settings.environ.get("NODE_TLS_REJECT_UNAUTHORIZED") == "0":
        found.append(Remark(CHECKS_CERTIFICATES, where))
    if settings.text("transport") == "http":
        found.append(listens_over_http(settings.text("port"), "3000", where))
    for flag in ("prompts", "prompts-inline", "resources", "resources-inline"):
        if settings.text(flag):
            kind = flag.partition("-")[0]
            found.append(
                Remark(
                    f"adopt did not read the file of {settings.source(flag)}. Write its contents under `{kind}:` "
                    "in the tools file.",
                    where,
                )
            )
    if settings.text("spec-inline"):
        found.append(Remark("The OpenAPI document is inside the configuration. Save the document as a file.", where))
    return found


# -- names of tools ----------------------------------------------------------------------------------------------------


def assign(operations: Iterable[RawOperation], *, abbreviates: bool) -> list[tuple[RawOperation, str, str]]:
    """Return each operation with its tool id and its name. If several operations have one id, only the last is
    returned.
    """
    found: dict[str, tuple[RawOperation, str, str]] = {}
    for operation in operations:
        if operation.method in _OFFERED:
            key = tool_id(operation)
            name = shortened(operation.id or operation.summary or operation.request, abbreviates=abbreviates)
            found[key] = operation, key, name
    return list(found.values())


def tool_id(operation: RawOperation) -> str:
    """Return the id of a tool, such as `GET::users__---id`. A client can call the tool by its id or its name."""
    path = re.sub(r"/+", "/", operation.path.removeprefix("/"))
    path = re.sub(r"\{([^}]+)\}", r"---\1", path).replace("/", "__")
    path = re.sub(r"_{3,}", "__", re.sub(r"[^A-Za-z0-9_.-]", "", path))
    return f"{operation.method}::{re.sub(r'-{4,}', '---', path).strip('_-')}"


def resource(operation: RawOperation) -> str:
    """Return the last path segment that contains no parameter, such as `users` for `/users/{id}`; the first segment if
    all contain parameters. The flag `--resource` of @ivotoby/openapi-mcp-server selects operations by this segment.
    """
    segments = operation.path.removeprefix("/").split("/")
    static = (each for each in reversed(segments) if each and "{" not in each and "}" not in each)
    return next(static, segments[0])


def shortened(source: str, *, abbreviates: bool) -> str:
    """Return the tool name that @ivotoby/openapi-mcp-server derives from `source`: an operation's operationId, its
    summary, or its method and path.
    """
    if not source.strip():
        return "unnamed-tool"
    longest = _LONGEST if abbreviates else 2**53
    was_long = _length(source) > longest
    name = _joined(re.sub(r"[^a-zA-Z0-9_]", "-", source))
    if not name:
        return f"tool-{_hash(source, 8)}"
    name = _without_vowels(_abbreviated(name), longest) if abbreviates else "-".join(_split(name, numbers=False))
    name = _joined(name)
    if was_long or len(name) > longest:
        mark = _hash(source, 4)
        name = f"{name[: longest - len(mark) - 1].rstrip('-') if len(name) > longest - len(mark) - 1 else name}-{mark}"
    name = _joined(re.sub(r"[^a-z0-9-]", "-", name.lower()))
    return name[:longest].rstrip("-") or f"tool-{_hash(source, 8)}"


def _abbreviated(name: str) -> str:
    parts = (part for part in _split(name, numbers=True) if part.lower().rstrip("-") not in _SILENT)
    return "-".join(_ABBREVIATIONS.get(part.lower(), part) for part in parts)


def _without_vowels(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    return "-".join(
        shorter if len(part) > 5 and part.lower() not in _KEPT and 1 < len(shorter) < len(part) else part
        for part in name.split("-")
        for shorter in [part[:1] + re.sub(r"[aeiouAEIOU]", "", part[1:])]
    )


def _split(name: str, *, numbers: bool) -> list[str]:
    """Split a name into words at underscores and where a capital letter begins a word; if `numbers` is set, also at
    digits.
    """
    found = []
    for part in name.split("_"):
        spaced = re.sub(r"([A-Z][a-z])", r" \1", re.sub(r"([A-Z]+)", r" \1", part))
        if numbers:
            spaced = re.sub(r"([0-9])([A-Za-z])", r"\1 \2", re.sub(r"([a-z])([0-9])", r"\1 \2", spaced))
        found += spaced.split()
    return found


def _joined(name: str) -> str:
    return re.sub(r"-+", "-", name).strip("-")


def _length(text: str) -> int:
    """Return the length of a text as JavaScript counts it, in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _hash(text: str, length: int) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:length]
