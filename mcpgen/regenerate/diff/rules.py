"""The rules: kind of change → its grade and its sentence.

A change in a schema is graded by its side. Callers send arguments, so a value that is no longer accepted breaks them.
They read results, so a value that was never sent before breaks them. `{at}` is the place, `{before}` and `{after}` are
the values.
"""

from mcpgen.base.jsonvalue import JsonValue, compact
from mcpgen.base.names import clipped
from mcpgen.regenerate.diff.change import Change, Grade
from mcpgen.regenerate.diff.places import Place

OF_TOOLS: dict[str, tuple[Grade, str]] = {
    "tool-removed": ("breaking", "{at} is gone."),
    "tool-added": ("additive", "{at} is new."),
    "tool-renamed": ("breaking", "{before} is called {after} now."),
    "tool-renamed-alias": ("cosmetic", "{before} is called {after} now, and answers to its old name too."),
    "alias-removed": ("breaking", "It can no longer be called as {before}."),
    "alias-added": ("additive", "It can be called as {after} too."),
    "tool-moved": ("cosmetic", "{before} is {after} now."),
    "tool-taken": ("breaking", "{before} is gone; {after} has the same words and arguments, and is taken for it."),
    "tool-replaced": ("breaking", "It is the operation {after} now; what was {before} is {at}."),
    "title": ("cosmetic", "Its title is {after} now; it was {before}."),
    "description": ("cosmetic", "Its description has other words."),
    "listing": ("cosmetic", "What is listed of it changed: {after}."),
    "less-safe": ("breaking", "It is {after} now; it was {before}."),
    "safer": ("additive", "It is {after} now; it was {before}."),
    "hint-lifted": ("breaking", "It is {after} now; it was {before}. A host may no longer ask before a call."),
    "text-gives-orders": ("breaking", '{at} tells a model what to do: "{after}".'),
    "hidden-characters": ("breaking", "{at} holds characters that nobody sees: {after}."),
    "name-of-host": ("breaking", "{after} is also the name of a built-in tool of common hosts."),
    "argument-renamed": ("breaking", "Argument {before} is called {after} now."),
    "argument-words": ("cosmetic", "{at} is described in other words."),
    "argument-default": ("cosmetic", "{at} is {after} where it is left out; it was {before}."),
    "argument-written": ("cosmetic", "{at} is written in another way, for the same values."),
    "arguments-written": ("cosmetic", "The input schema is written in another way, for the same arguments."),
    "arguments-unproven": (
        "breaking",
        "More changed than can be compared; what cannot be proven harmless: {after}.",
    ),
    "result-unproven": ("breaking", "More of its result changed than can be compared, or proven harmless."),
    "result-promised": ("additive", "Its result has a schema now."),
    "result-unpromised": ("breaking", "Its result no longer has a schema."),
    "result-words": ("cosmetic", "The schema of its result has other words."),
    "result-written": ("cosmetic", "The schema of its result is written in another way, for the same values."),
    "confirm-raised": ("breaking", "The user is asked before a call: {after} now, {before} before."),
    "confirm-lowered": ("breaking", "The user is asked before a call: {after} now, {before} before."),
    "question-added": ("breaking", "The user is asked for {after} before a call now."),
    "question-removed": ("breaking", "The user is no longer asked for {before} before a call."),
    "question-changed": ("cosmetic", "The question {at} has other words, fields or conditions."),
    "question-refuses": ("breaking", "Calls of clients that cannot ask the question {at} are refused now."),
    "question-allows": ("additive", "Clients that cannot ask the question {at} give its fields as arguments."),
    "roles-narrowed": ("breaking", "It is no longer offered to all operators: {after} now, {before} before."),
    "roles-widened": ("breaking", "It is offered to more operators: {after} now, {before} before."),
    "removal-lifted": ("breaking", "{before} is no longer removed from its answers."),
    "removal-added": ("breaking", "{after} is removed from its answers now."),
    "withheld-added": ("cosmetic", "No argument may write {after} any more."),
    "withheld-lifted": ("breaking", "An argument may write {before}, which was hidden."),
    "credentials-refused": ("breaking", "It can no longer be called with {before}; now: {after}."),
    "credentials-accepted": ("additive", "It can be called with {after} too."),
    "credentials-sent": ("cosmetic", "Nobody is refused, but it may be called with {after} now; it was {before}."),
    "scopes-added": ("breaking", "Its access tokens have to allow {after} too."),
    "scopes-removed": ("additive", "Its access tokens no longer have to allow {before}."),
    "caller-scopes-narrowed": ("breaking", "Callers over HTTP need the scopes {after} now; before: {before}."),
    "caller-scopes-widened": (
        "breaking",
        "Other scopes are enough for callers over HTTP: {after} now; before: {before}.",
    ),
    "constant": ("cosmetic", "{at} is always sent as {after}; it was {before}."),
    "constant-added": ("cosmetic", "{at} is always sent now, as {after}."),
    "constant-removed": ("cosmetic", "{at} is no longer sent; it was always {before}."),
    "request": ("cosmetic", "Its request is written in another way: {after}."),
    "client-requires": ("breaking", "Clients must be able to do more: {after} now; before: {before}."),
    "client-requires-less": ("additive", "Clients need to be able to do less: {after} now; before: {before}."),
    "timeout": ("cosmetic", "A call may take {after} seconds; it was {before}."),
}

OF_SERVER: dict[str, tuple[Grade, str]] = {
    "server-renamed": ("breaking", "The server is called {after} now; it was {before}. Its command has that name too."),
    "server-title": ("cosmetic", "The title of the server is {after} now; it was {before}."),
    "server-instructions": ("cosmetic", "The instructions have other words."),
    "logging-offered": ("additive", "Clients can ask for log messages of their calls."),
    "logging-gone": ("breaking", "Clients can no longer ask for log messages."),
    "tools-unlisted": (
        "breaking",
        "Its tools are no longer listed: a search finds them. All can still be called by their names.",
    ),
    "tools-listed": ("breaking", "All tools are listed now; the tools that searched and called them are gone."),
    "programs-widened": ("additive", "Programs of a model may call {after} now; before: {before}."),
    "programs-narrowed": ("breaking", "Programs of a model may call {after} now; before: {before}."),
    "pinned": ("cosmetic", "Listed beside the search: {after}; before: {before}."),
    "variable-renamed": ("breaking", "The environment variable {before} is called {after} now."),
    "variable-removed": ("breaking", "The environment variable {before} is no longer read."),
    "variable-unused": ("cosmetic", "The environment variable {before} is no longer read; nothing needs it."),
    "variable-needed": ("breaking", "The environment variable {after} has to be set now."),
    "variable-added": ("additive", "The environment variable {after} is read."),
    "variable-default": ("cosmetic", "Where {at} is not set, it is {after} now; it was {before}."),
    "variable-narrowed": ("breaking", "{at} can no longer be {before}."),
    "variable-widened": ("additive", "{at} can be {after} too."),
    "server-gives-orders": ("breaking", '{at} tells a model what to do: "{after}".'),
    "scheme-changed": ("breaking", "{at} is another kind of credential: {after} now, {before} before."),
    "scheme-written": ("cosmetic", "{at} is sent in another way: {after} now, {before} before."),
    "credential-moved": ("breaking", "{at} is sent in another place: {after} now, {before} before."),
    "credential-in-url": (
        "breaking",
        "{at} is sent in the URL now, where logs keep it: {after} now, {before} before.",
    ),
    "token-origin": (
        "breaking",
        "The tokens of {at} are fetched at another origin, which gets the client's id and secret: {after} now, "
        "{before} before.",
    ),
    "origin": ("breaking", "Requests go to another origin: {after} now, {before} before."),
    "origin-added": ("breaking", "Calls or credentials go to one more origin: {after}, {at}."),
    "unaccepted-origin": (
        "breaking",
        "Nothing is sent to {after} until you accept it with --accept-origin, or an operator allows its host.",
    ),
    "origin-accepted": ("additive", "{after} is accepted now: calls and credentials may go there."),
    "origin-left": ("cosmetic", "Calls and credentials go to {before} no more."),
    "base-url": ("cosmetic", "The base URL is {after} now; it was {before}."),
    "resource-removed": ("breaking", "The resource {at} is gone."),
    "resource-added": ("additive", "The resource {at} is new."),
    "resource-type": ("breaking", "The resource {at} is {after} now; it was {before}."),
    "resource-words": ("cosmetic", "The resource {at} is described in other words."),
    "resource-contents": ("cosmetic", "The resource {at} holds something else, or comes from elsewhere."),
    "prompt-removed": ("breaking", "The prompt {at} is gone."),
    "prompt-added": ("additive", "The prompt {at} is new."),
    "prompt-words": ("cosmetic", "The prompt {at} is described in other words."),
    "prompt-messages": ("cosmetic", "The prompt {at} says something else."),
    "prompt-argument-removed": ("breaking", "The prompt {at} no longer has the argument {before}."),
    "prompt-argument-required": ("breaking", "The prompt {at} has to be given the argument {after} now."),
    "prompt-argument-added": ("additive", "The prompt {at} has an argument more: {after}."),
    "prompt-argument-optional": ("additive", "The prompt {at} can do without the argument {after} now."),
    "base-url-known": ("additive", "The base URL is known now: {after}."),
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
"""Rules for changes that may turn a server against its operator: a secret goes elsewhere, a guard weakens, a text
speaks to a model. All are breaking and are reported first.
"""

_LIMIT = "{at}: {name} {after} now, {before} before."
OF_SCHEMAS: dict[str, tuple[str, str]] = {
    "member-added": ("{at} can be given.", "{at} is there too."),
    "required-member-added": ("{at} is new and has to be given.", "{at} is new and always there."),
    "member-gone": ("{at} is gone.", "{at} is no longer there."),
    "member-unlisted": ("{at} is no longer described.", "{at} is no longer described."),
    "required": ("{at} has to be given now.", "{at} is always there now."),
    "optional": ("{at} may be left out now.", "{at} may be missing now."),
    "type": ("{at} takes {after} now; it took {before}.", "{at} is {after} now; it was {before}."),
    "type-gone": ("{at} no longer takes {before}.", "{at} is never {before} any more."),
    "type-added": ("{at} takes {after} too.", "{at} may be {after} too."),
    "type-any": ("{at} takes values of any type; it took {before}.", "{at} may be of any type; it was {before}."),
    "type-limited": ("{at} takes only {after} now.", "{at} is only ever {after} now."),
    "values-fewer": ("{at} takes fewer values than before.", "{at} has fewer values than before."),
    "values-more": ("{at} takes more values than before.", "{at} may have more values than before."),
    "values-other": ("{at} takes other values than before.", "{at} may have other values than before."),
    "values-gone": ("{at} no longer takes {before}.", "{at} is never {before} any more."),
    "values-added": ("{at} takes {after} too.", "{at} may be {after} too."),
    "values-listed": ("{at} takes only {after} now.", "{at} is only ever {after} now."),
    "values-free": ("{at} takes more than {before} now.", "{at} may be something else than {before} now."),
    "alternative-gone": ("{at} no longer takes one of its forms: {before}.", "{at} no longer has the form {before}."),
    "alternative-added": ("{at} takes one more form: {after}.", "{at} may have one more form: {after}."),
    "more": ("{at} has {after} more changes inside.", "{at} has {after} more changes inside."),
    "others-refused": ("{at} takes no members but those listed.", "{at} has no members but those listed."),
    "others-allowed": ("{at} takes members that are not listed.", "{at} may have members that are not listed."),
}
"""Kind of a place → the sentence for arguments and the sentence for results. Other kinds are names of keywords."""

_LONGEST = 120


def of_tool(
    code: str, tool: str, before: JsonValue = None, after: JsonValue = None, argument: str = "", at: str = ""
) -> Change:
    """Return the change `code` of one tool."""
    grade, sentence = OF_TOOLS[code]
    place = at or (f"Argument {argument}" if argument else tool)
    said = _said(sentence, place, before, after)
    return Change(grade, code, tool, said, before, after, argument, security=code in SECURITY)


def of_server(code: str, before: JsonValue = None, after: JsonValue = None, at: str = "") -> Change:
    """Return the change `code` of the whole server."""
    grade, sentence = OF_SERVER[code]
    return Change(grade, code, "", _said(sentence, at, before, after), before, after, security=code in SECURITY)


def of_argument(tool: str, place: Place) -> Change:
    """Return a change of the input schema. A value that is refused now breaks callers."""
    grade: Grade = "breaking" if place.narrowed else "additive"
    argument, path = (place.path[0], dotted(place.path)) if place.path else ("", "")
    at = f"Argument {path}" if path else tool
    return _of_place(grade, "argument", tool, place, argument, path, at)


def of_result(tool: str, place: Place) -> Change:
    """Return a change of the output schema. A value that was never sent before breaks callers."""
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
    """Return a path in dotted form: `filter.tags[].name`, with `labels.*` for unnamed members."""
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
