"""Define the rules: kind of change → its grade (breaking, additive or cosmetic) and its sentence.

The grade of a change in a schema depends on its side. Callers send arguments, so a value that is no longer accepted
breaks callers. Callers read results, so a value that was never sent before breaks callers. In a sentence, `{at}` is the
place, and `{before}` and `{after}` are the values.
"""

from mcpgen.base.jsonvalue import JsonValue, compact
from mcpgen.base.names import clipped
from mcpgen.regenerate.diff.change import Change, Grade
from mcpgen.regenerate.diff.places import Place

OF_TOOLS: dict[str, tuple[Grade, str]] = {
    "tool-removed": ("breaking", "The tool {at} was removed."),
    "tool-added": ("additive", "The tool {at} is new."),
    "tool-renamed": ("breaking", "The tool {before} is now called {after}."),
    "tool-renamed-alias": (
        "cosmetic",
        "The tool {before} is now called {after}, and can still be called by its old name.",
    ),
    "alias-removed": ("breaking", "The tool can no longer be called as {before}."),
    "alias-added": ("additive", "The tool can also be called as {after}."),
    "tool-moved": ("cosmetic", "The request {before} is now {after}."),
    "tool-taken": (
        "breaking",
        "The request {before} was removed; {after} has the same summary, description and arguments, so mcpgen takes "
        "it for the same operation.",
    ),
    "tool-replaced": (
        "breaking",
        "The tool now calls another operation: {after}; before: {before}. The tool {at} now calls {before}.",
    ),
    "title": ("cosmetic", "The title of the tool is now {after}; it was {before}."),
    "description": ("cosmetic", "The description of the tool has new wording."),
    "listing": ("cosmetic", "Properties of the tool in the tool list changed: {after}."),
    "less-safe": ("breaking", "The tool is now {after}; it was {before}."),
    "safer": ("additive", "The tool is now {after}; it was {before}."),
    "hint-lifted": (
        "breaking",
        "The tool is now {after}; it was {before}. An MCP host might now call the tool without asking the user.",
    ),
    "text-gives-orders": ("breaking", '{at} gives instructions to a model: "{after}".'),
    "hidden-characters": ("breaking", "{at} contains invisible characters: {after}."),
    "name-of-host": ("breaking", "{after} is also the name of a built-in tool of common MCP hosts."),
    "argument-renamed": ("breaking", "The argument {before} is now called {after}."),
    "argument-words": ("cosmetic", "{at} has a new description."),
    "argument-default": ("cosmetic", "{at} now defaults to {after}; before: {before}."),
    "argument-written": ("cosmetic", "{at} is described by another schema, which allows the same values."),
    "arguments-written": ("cosmetic", "The input schema is written in another way, but accepts the same arguments."),
    "arguments-unproven": (
        "breaking",
        "The input schema has more changes than mcpgen can compare; these may break callers: {after}.",
    ),
    "result-unproven": (
        "breaking",
        "The output schema has more changes than mcpgen can compare; they may break callers.",
    ),
    "result-promised": ("additive", "The tool now has an output schema."),
    "result-unpromised": ("breaking", "The tool no longer has an output schema."),
    "result-words": ("cosmetic", "The output schema has new wording."),
    "result-written": ("cosmetic", "The output schema is written in another way, but allows the same values."),
    "confirm-raised": ("breaking", "The tool asks the user for confirmation: now {after}, before {before}."),
    "confirm-lowered": ("breaking", "The tool asks the user for confirmation: now {after}, before {before}."),
    "question-added": ("breaking", "The tool now asks the user for {after} before a call."),
    "question-removed": ("breaking", "The tool no longer asks the user for {before} before a call."),
    "question-changed": ("cosmetic", "The question {at} to the user has new wording, fields or conditions."),
    "question-refuses": ("breaking", "A call is now refused if the client cannot show the question {at} to the user."),
    "question-allows": (
        "additive",
        "If a client cannot show the question {at} to the user, the caller can now give the answers as arguments.",
    ),
    "roles-narrowed": ("breaking", "Some roles can no longer use the tool. Roles now: {after}; before: {before}."),
    "roles-widened": ("breaking", "Additional roles can now use the tool. Roles now: {after}; before: {before}."),
    "removal-lifted": ("breaking", "The server no longer removes {before} from the results of the tool."),
    "removal-added": ("breaking", "The server now removes {after} from the results of the tool."),
    "withheld-added": ("cosmetic", "Callers can no longer set {after}, which is now hidden."),
    "withheld-lifted": ("breaking", "Callers can now set {before}, which was hidden."),
    "credentials-refused": (
        "breaking",
        "Calls of the tool with these credentials are no longer accepted: {before}. Accepted now: {after}.",
    ),
    "credentials-accepted": ("additive", "The tool can now also be called with these credentials: {after}."),
    "credentials-sent": (
        "cosmetic",
        "The tool can be called with other credentials: {after}; before: {before}. No earlier caller is refused.",
    ),
    "scopes-added": ("breaking", "The server's access tokens for this tool now also need the scopes {after}."),
    "scopes-removed": ("additive", "The server's access tokens for this tool no longer need the scopes {before}."),
    "caller-scopes-narrowed": ("breaking", "Callers over HTTP now need the scopes {after}; before: {before}."),
    "caller-scopes-widened": (
        "breaking",
        "A caller over HTTP may call the tool with the scopes {after}; before: {before}.",
    ),
    "constant": ("cosmetic", "{at} is now always sent as {after}; before as {before}."),
    "constant-added": ("cosmetic", "{at} is now always sent, with the value {after}."),
    "constant-removed": ("cosmetic", "{at} is no longer sent; it always had the value {before}."),
    "request": ("cosmetic", "The server makes requests of the tool in another way; what changed: {after}."),
    "task-added": ("breaking", "A call now starts a job, and returns the result of the job."),
    "task-removed": ("breaking", "A call no longer waits for a job. It returns the first answer of the API."),
    "task-result": ("breaking", "The server now takes the result of the job from another place."),
    "task-cancels": ("additive", "Clients can now cancel the job that a call starts."),
    "task-cancels-not": ("breaking", "Clients can no longer cancel the job that a call starts."),
    "task-changed": (
        "cosmetic",
        "The server polls or cancels the job of a call in another way; what changed: {after}.",
    ),
    "client-requires": ("breaking", "Clients now need more capabilities: {after}; before: {before}."),
    "client-requires-less": ("additive", "Clients now need fewer capabilities: {after}; before: {before}."),
    "workflow-calls": ("breaking", "The workflow now calls {after}; before: {before}."),
    "workflow-outputs-added": ("additive", "The result of the workflow now also has {after}."),
    "workflow-outputs-removed": ("breaking", "The result of the workflow no longer has {before}."),
    "timeout": ("cosmetic", "A call may now take {after} seconds; before: {before} seconds."),
}

OF_SERVER: dict[str, tuple[Grade, str]] = {
    "server-renamed": (
        "breaking",
        "The server is now called {after}; it was {before}. Its command has the new name too.",
    ),
    "server-title": ("cosmetic", "The title of the server is now {after}; it was {before}."),
    "server-instructions": ("cosmetic", "The instructions of the server have new wording."),
    "logging-offered": ("additive", "Clients can ask for log messages of their calls."),
    "logging-gone": ("breaking", "Clients can no longer ask for log messages."),
    "part-removed": ("breaking", "The server no longer has the part {before}."),
    "part-added": ("additive", "The server now has the part {after}."),
    "tools-unlisted": (
        "breaking",
        "The server no longer lists its tools: a search finds them. All can still be called by their names.",
    ),
    "tools-listed": (
        "breaking",
        "The server now lists all tools; the tools that searched and called them were removed.",
    ),
    "programs-widened": ("additive", "Programs that a model writes may now call {after}; before: {before}."),
    "programs-narrowed": ("breaking", "Programs that a model writes may now call {after}; before: {before}."),
    "pinned": ("cosmetic", "Tools that the server lists in addition to its search tools: {after}; before: {before}."),
    "pictures": ("cosmetic", "Views may now show pictures from {after}; before: {before}."),
    "variable-renamed": ("breaking", "The environment variable {before} is now called {after}."),
    "variable-removed": ("breaking", "The server no longer reads the environment variable {before}."),
    "variable-unused": ("cosmetic", "The server no longer reads the environment variable {before}; nothing needs it."),
    "variable-needed": ("breaking", "The environment variable {after} must now be set."),
    "variable-added": ("additive", "The server now reads the environment variable {after}."),
    "variable-default": ("cosmetic", "The default of the environment variable {at} is now {after}; it was {before}."),
    "variable-narrowed": (
        "breaking",
        "The environment variable {at} can no longer be {before}; possible values now: {after}.",
    ),
    "variable-widened": (
        "additive",
        "The environment variable {at} can now also be {after}; possible values before: {before}.",
    ),
    "server-gives-orders": ("breaking", '{at} gives instructions to a model: "{after}".'),
    "scheme-changed": ("breaking", "The credential {at} is now of another kind: {after}; before: {before}."),
    "scheme-written": ("cosmetic", "The credential {at} is now sent in another way: {after}; before: {before}."),
    "credential-moved": ("breaking", "The credential {at} is now sent in another place: {after}; before: {before}."),
    "credential-in-url": (
        "breaking",
        "The credential {at} is now sent in the URL, where logs keep it: {after}; before: {before}.",
    ),
    "token-origin": (
        "breaking",
        "The server now fetches tokens for {at} from another origin, which gets the client's id and secret: "
        "{after}; before: {before}.",
    ),
    "origin": ("breaking", "The server now sends requests to another origin: {after}; before: {before}."),
    "origin-added": ("breaking", "The server now sends calls or credentials to one more origin: {after} ({at})."),
    "unaccepted-origin": (
        "breaking",
        "The server sends nothing to {after} until you accept it with --accept-origin, or an operator allows its host.",
    ),
    "origin-accepted": (
        "additive",
        "The origin {after} is now accepted: the server may send calls and credentials there.",
    ),
    "origin-left": ("cosmetic", "The server no longer sends calls and credentials to {before}."),
    "base-url": ("cosmetic", "The base URL is now {after}; it was {before}."),
    "resource-removed": ("breaking", "The resource {at} was removed."),
    "resource-added": ("additive", "The resource {at} is new."),
    "resource-type": ("breaking", "The media type of the resource {at} is now {after}; it was {before}."),
    "resource-words": ("cosmetic", "The resource {at} has a new description."),
    "resource-watched": ("additive", "Clients can now subscribe to changes of the resource {at}."),
    "resource-unwatched": ("breaking", "Clients can no longer subscribe to changes of the resource {at}."),
    "resource-contents": ("cosmetic", "The content or the source of the resource {at} has changed."),
    "prompt-removed": ("breaking", "The prompt {at} was removed."),
    "prompt-added": ("additive", "The prompt {at} is new."),
    "prompt-words": ("cosmetic", "The prompt {at} has a new description."),
    "prompt-messages": ("cosmetic", "The messages of the prompt {at} have changed."),
    "prompt-argument-removed": ("breaking", "The prompt {at} no longer has the argument {before}."),
    "prompt-argument-required": ("breaking", "The prompt {at} now requires the argument {after}."),
    "prompt-argument-added": ("additive", "The prompt {at} has a new argument: {after}."),
    "prompt-argument-optional": ("additive", "The argument {after} of the prompt {at} is now optional."),
    "base-url-known": ("additive", "The base URL is now known: {after}."),
}

SECURITY = frozenset(
    {
        *("origin", "token-origin", "origin-added", "unaccepted-origin", "credential-moved", "credential-in-url"),
        "scheme-changed",
        *(
            "hint-lifted",
            "confirm-lowered",
            "roles-widened",
            "caller-scopes-widened",
            "removal-lifted",
            "withheld-lifted",
        ),
        *("text-gives-orders", "server-gives-orders", "hidden-characters", "name-of-host"),
    }
)
"""Codes of rules for changes of security: a secret is sent elsewhere, a guard becomes weaker, or a text gives
instructions to a model. Such changes are breaking, and are reported first.
"""

_LIMIT = "{at}: {name} is now {after}; it was {before}."
OF_SCHEMAS: dict[str, tuple[str, str]] = {
    "member-added": ("{at} is new and optional.", "{at} is new."),
    "required-member-added": ("{at} is new and required.", "{at} is new and always present."),
    "member-gone": ("{at} was removed.", "{at} was removed."),
    "member-unlisted": ("{at} is no longer listed in the schema.", "{at} is no longer listed in the schema."),
    "required": ("{at} is now required.", "{at} is now always present."),
    "optional": ("{at} is now optional.", "{at} may now be missing."),
    "type": (
        "{at} now takes values of type {after}; it took {before}.",
        "{at} is now of type {after}; it was of type {before}.",
    ),
    "type-gone": ("{at} no longer takes values of type {before}.", "{at} is no longer of type {before}."),
    "type-added": ("{at} also takes values of type {after}.", "{at} may also be of type {after}."),
    "type-any": (
        "{at} now takes values of any type; it took {before}.",
        "{at} may now be of any type; it was of type {before}.",
    ),
    "type-limited": ("{at} now takes only values of type {after}.", "{at} is now only of type {after}."),
    "values-fewer": (
        "{at} now takes only some of the values that it took before.",
        "{at} can now have only some of the values that it could have before.",
    ),
    "values-more": (
        "{at} now also takes values that it did not take before.",
        "{at} may now also have values that it could not have before.",
    ),
    "values-other": (
        "{at} now takes some new values, and no longer takes some old ones.",
        "{at} may now have some new values, and can no longer have some old ones.",
    ),
    "values-gone": ("{at} no longer takes {before}.", "{at} can no longer be {before}."),
    "values-added": ("{at} also takes {after}.", "{at} may also be {after}."),
    "values-listed": ("{at} now takes only {after}.", "{at} can now only be {after}."),
    "values-free": (
        "{at} now also takes other values than {before}.",
        "{at} may now also have other values than {before}.",
    ),
    "alternative-gone": (
        "{at} no longer takes values of the shape {before}.",
        "{at} can no longer have the shape {before}.",
    ),
    "alternative-added": ("{at} also takes values of the shape {after}.", "{at} may also have the shape {after}."),
    "more": ("{at} has {after} more changes inside it.", "{at} has {after} more changes inside it."),
    "others-refused": (
        "{at} now takes only properties that its schema lists.",
        "{at} now has only properties that its schema lists.",
    ),
    "others-allowed": (
        "{at} now also takes properties that its schema does not list.",
        "{at} may now also have properties that its schema does not list.",
    ),
}
"""Kind of a difference in a schema → the sentence for arguments and the sentence for results. Kinds that are not listed
are names of JSON Schema keywords.
"""

_LONGEST = 120


def of_tool(
    code: str, tool: str, before: JsonValue = None, after: JsonValue = None, argument: str = "", at: str = ""
) -> Change:
    """Return a change of one tool. Its grade and its sentence are those of the rule `code`."""
    grade, sentence = OF_TOOLS[code]
    place = at or (f"Argument {argument}" if argument else tool)
    said = _said(sentence, place, before, after)
    return Change(grade, code, tool, said, before, after, argument, security=code in SECURITY)


def of_server(code: str, before: JsonValue = None, after: JsonValue = None, at: str = "") -> Change:
    """Return a change of the whole server. Its grade and its sentence are those of the rule `code`."""
    grade, sentence = OF_SERVER[code]
    return Change(grade, code, "", _said(sentence, at, before, after), before, after, security=code in SECURITY)


def of_argument(tool: str, place: Place) -> Change:
    """Return a change of the input schema. The change is breaking if a value is no longer accepted."""
    grade: Grade = "breaking" if place.narrowed else "additive"
    argument, path = (place.path[0], dotted(place.path)) if place.path else ("", "")
    at = f"Argument {path}" if path else tool
    return _of_place(grade, "argument", tool, place, argument, path, at)


def of_result(tool: str, place: Place) -> Change:
    """Return a change of the output schema. The change is breaking if a new value may be sent."""
    grade: Grade = "breaking" if place.widened else "additive"
    path = dotted(place.path)
    at = f"{path} of the result" if path else "The result"
    return _of_place(grade, "result", tool, place, "", path, at)


def _of_place(grade: Grade, side: str, tool: str, place: Place, argument: str, path: str, at: str) -> Change:
    sentences = OF_SCHEMAS.get(place.kind, (_LIMIT, _LIMIT))
    sentence = sentences[side == "result"].replace("{name}", place.kind)
    if side == "argument" and not path:
        sentence = sentence.replace("members", "arguments")
    said = _said(sentence, at, place.before, place.after)
    return Change(grade, f"{side}-{place.kind}", tool, said, place.before, place.after, argument, path)


def dotted(path: tuple[str, ...]) -> str:
    """Return a path in dotted form: `filter.tags[].name`, with `labels.*` for undeclared members of `labels`."""
    return "".join(part if part.startswith("[") else f".{part}" for part in path).removeprefix(".")


def _said(sentence: str, at: str, before: JsonValue, after: JsonValue) -> str:
    # Replace all placeholders in one pass, so that braces inside a value stay text.
    words = {"at": at, "before": _shown(before), "after": _shown(after)}
    parts = sentence.split("{")
    return parts[0] + "".join(
        clipped(words[name], _LONGEST) + rest for name, _, rest in (part.partition("}") for part in parts[1:])
    )


def _shown(value: JsonValue) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(each if isinstance(each, str) and each else compact(each) for each in value) or "nothing"
    return compact(value)
