# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Read the body of a request, and write the parts of its response, with either of the two HTTP servers (aiohttp or
ASGI).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...text.fields import is_value
from ..streamable import admission
from ..streamable.exchange import Begin
from ..streamable.head import Answer
from .door import Broken, TooLarge

if TYPE_CHECKING:
    from ..streamable.exchange import End
    from ..streamable.head import Head
    from .door import Connection


def given(head: Head, names: list[str]) -> dict[str, str]:
    """Return the header fields in `names` that can be sent on to the API. Omit fields that occur more than once."""
    found = {name: head.all(name) for name in names}
    return {name: values[0] for name, values in found.items() if len(values) == 1 and is_value(values[0])}


async def body(connection: Connection) -> bytes | Answer:
    """Return the body of a request, or the error response if it cannot be read."""
    try:
        return await connection.body(admission.LARGEST_BODY)
    except TooLarge:
        return admission.too_large()
    except TimeoutError:
        return admission.too_slow()
    except Broken:
        return admission.broken()


async def written(part: Answer | Begin | End | bytes, connection: Connection) -> bool:
    """Write a part of a response. Return True if it is the last part."""
    if isinstance(part, bytes):
        await connection.write(part)
        return False
    if isinstance(part, Begin):
        await connection.begin(part.fields)
        return False
    if isinstance(part, Answer):
        await connection.answer(part)
    else:
        await connection.end()
    return True
