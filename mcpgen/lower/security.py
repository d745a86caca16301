"""Security in terms of the environment: which variables hold a credential, and what each operation needs."""

from mcpgen.model import Api, BoundScheme, Operation, SecurityRequirement
from mcpgen.names import environment_suffix

RESERVED = frozenset(
    ["BASE_URL", "TIMEOUT", "LOG_LEVEL", "FILES_DIR", "PROXY", "CA_FILE", "CLIENT_CERT", "CLIENT_KEY", "ALLOW_HTTP",
     "ALLOW_HOSTS", "READ_ONLY", "ROLES", "AUDIT", "MAX_RESULT"]
)  # fmt: skip
"""What follows the prefix in variables of the server itself; `VAR_…` is reserved too."""

TOKEN, HEADER = "token", "header"
_UNDECLARED: tuple[SecurityRequirement, ...] = ((TOKEN, HEADER), (TOKEN,), (HEADER,), ())


def bound_schemes(api: Api, prefix: str) -> tuple[BoundScheme, ...]:
    """Every scheme of `api` with its variables. An API that declares none gets an optional token and an optional
    header.
    """
    if not api.schemes:
        return (
            BoundScheme(
                TOKEN, "bearer", {"value": f"{prefix}_TOKEN"}, description="A bearer token, if the API wants one."
            ),
            BoundScheme(
                HEADER, "header", {"value": f"{prefix}_HEADER"}, description="One more header, as `Name: value`."
            ),
        )
    taken: set[str] = set()
    bound = []
    for scheme in api.schemes:
        suffix = environment_suffix(scheme.name)
        if suffix in RESERVED or suffix.startswith("VAR_") or suffix in taken:
            suffix = "AUTH_" + suffix
        taken.add(suffix)
        roles = ("username", "password") if scheme.type == "basic" else ("value",)
        variables = {role: f"{prefix}_{suffix}" + ("" if role == "value" else f"_{role.upper()}") for role in roles}
        is_key = scheme.type == "apiKey"
        bound.append(
            BoundScheme(
                scheme.name,
                scheme.type,
                variables,
                scheme.location if is_key else None,
                scheme.wire_name if is_key else None,
                scheme.description,
            )
        )
    return tuple(bound)


def requirement(operation: Operation, api: Api) -> tuple[SecurityRequirement, ...] | None:
    """The alternatives for one operation: its own, else the API's, else whatever is set in the environment."""
    declared = operation.security if operation.security is not None else api.security
    if declared is not None:
        return declared or None
    if not api.schemes:
        return _UNDECLARED
    return (*((scheme.name,) for scheme in api.schemes), ())
