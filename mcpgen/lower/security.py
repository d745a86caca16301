"""Security in terms of the environment: which variables hold a credential, and what each operation needs."""

from collections.abc import Collection
from itertools import chain, count

from mcpgen.model import Api, BoundScheme, Operation, SecurityRequirement, SecurityScheme
from mcpgen.names import environment_suffix, short_hash

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
    taken = {f"{prefix}_{suffix}" for suffix in RESERVED}
    bound = []
    for scheme in api.schemes:
        variables = _variables(scheme, prefix, taken)
        taken.update(variables.values())
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


def _variables(scheme: SecurityScheme, prefix: str, taken: Collection[str]) -> dict[str, str]:
    """Role → variable, for the first name of `scheme` that no other variable has."""
    suffix = environment_suffix(scheme.name)
    hashed = (f"AUTH_{suffix}_{short_hash(f'{scheme.name} {turn}', 8).upper()}" for turn in count())
    roles = {"username": "_USERNAME", "password": "_PASSWORD"} if scheme.type == "basic" else {"value": ""}
    for candidate in chain((suffix, f"AUTH_{suffix}"), hashed):
        variables = {role: f"{prefix}_{candidate}{ending}" for role, ending in roles.items()}
        if not candidate.startswith("VAR_") and not any(variable in taken for variable in variables.values()):
            return variables
    raise AssertionError("hashes do not end")


def requirement(operation: Operation, api: Api) -> tuple[SecurityRequirement, ...] | None:
    """The alternatives for one operation: its own, else the API's, else whatever is set in the environment. That none
    is needed comes last, because the first that can be met is taken.
    """
    declared = operation.security if operation.security is not None else api.security
    if declared is not None:
        return tuple(sorted(declared, key=lambda names: not names)) or None
    if not api.schemes:
        return _UNDECLARED
    return (*((scheme.name,) for scheme in api.schemes), ())
