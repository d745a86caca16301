"""Remove credentials from an API or an operation, where the project's owner says that none are needed."""

from dataclasses import replace

from mcpgen.model import NO_CREDENTIALS, Api, Operation


# Not only the requirement is removed: otherwise the server would have a variable that nobody needs.
def without_security(api: Api) -> Api:
    """Return `api` without credentials: none is required, and none is sent."""
    return replace(api.changed(unsecured), schemes=(), security=NO_CREDENTIALS)


def unsecured(operation: Operation) -> Operation:
    """Return `operation` without credentials. Settings (values of the environment that are not secret) stay."""
    settings = tuple(each for each in operation.credentials if not each.text.secret)
    return replace(operation, security=NO_CREDENTIALS, credentials=settings)
