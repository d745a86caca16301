# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Types of the tables about views: how clients with the extension MCP Apps show the results of tools.

Like `table`, this module is for type checking, and for the JSON Schema of the tables.
"""

from typing import Annotated, Literal, NotRequired, TypedDict

from .keywords import Argument, Has, Name, NonEmpty, NonEmptyMap, Place, Text

Pictures = Annotated[
    NonEmpty[Annotated[str, Has(pattern="^https://[a-z0-9.:-]+$")]], "Origins whose pictures views may show."
]


class Column(TypedDict):
    """Member of an item that a view shows, as a path of names with dots between them, and what its value is to people:
    for example a time in `seconds` since 1970, or an amount in `cents`.
    """

    name: Text
    shows: NotRequired[Literal["badge", "seconds", "milliseconds", "money", "cents", "image"]]


class ToolView(TypedDict):
    """How clients with the extension MCP Apps show the calls of a tool."""

    kind: Literal["table", "card", "form"]
    title: NotRequired[Text]
    items: NotRequired[Annotated[Place, "Place of the list, or of the object of a card."]]
    columns: NotRequired[NonEmpty[Column]]
    before: NotRequired[Annotated[Name, "Tool that reads what a call changes."]]
    given: NotRequired[Annotated[NonEmptyMap[Argument], "Argument of `before` -> argument of the call that it gets."]]
