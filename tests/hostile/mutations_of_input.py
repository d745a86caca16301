"""List mutations that remove safety checks on input, such as hidden characters, files, content codings, images, users'
answers, and arguments with names of credentials.

`mutations.py` lists mutations that remove other checks.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation, cases
from tests.hostile.mutations_of_questions import OF_QUESTIONS

REQUESTS, ROWS = "tests/runtime/test_requests.py", "tests/hostile/test_guarded.py"
RAW = "tests/hostile/test_raw_answers.py"

ROTATION = ("tests/runtime/test_rotation.py",)
COMPLETION = ("tests/shell/test_completion.py",)

TRANSCRIPTS = ("tests/runtime/test_transcripts.py",)

HOSTS, LENIENT = ("tests/functional/test_hosts.py",), ("tests/runtime/test_lenient_arguments.py",)

OF_INPUT = (
    Mutation("members of n8n alone", "arguments.py", 'if "toolCallId" in strange else', "if True else", LENIENT),
    Mutation(
        "null that is required",
        "arguments.py",
        'any(name not in each.get("required", ()) for each in owners)',
        "bool(owners)",
        LENIENT,
    ),
    Mutation("empty texts that may mean something", "arguments.py", 'if "string" in kinds:', "if False:", LENIENT),
    Mutation(
        "null that the body may hold",
        "plain_call.py",
        "if nullable else (checked, [])",
        "if None else (checked, [])",
        HOSTS,
    ),
    Mutation(
        "defaults that are examples of ids",
        "mcpgen/lower/inputs/arguments.py",
        "return names_object and str(default) not in _WORDS",
        "return False",
        cases("parameters/document_defaults"),
    ),
    Mutation("integers written as floats", "jsonrpc.py", "value.is_integer() and abs(", "False and abs(", TRANSCRIPTS),
    Mutation("errors without a readable id", "protocol.py", "null_id=not nameless", "null_id=False", TRANSCRIPTS),
    Mutation("cursors that name no page", "effects.py", 'not in (None, "")', "is not False", TRANSCRIPTS),
    Mutation("names with a host's prefix", "catalog.py", "[*behind[:1], *close]", "close", TRANSCRIPTS),
    Mutation("quotes of completed words", "call_command.py", '"$(printf %q "$word")"', '"$word"', COMPLETION),
    Mutation("words that a terminal does not show", "call_command.py", "visible(value) == value", "True", COMPLETION),
    *OF_QUESTIONS,
    Mutation(
        "names that need no proxy",
        "operator_hints.py",
        " or _is_excepted(address)",
        "",
        ("tests/runtime/test_operator_hints.py",),
    ),
    Mutation("files that cannot be used", "rotation.py", "        if problems:", "        if False:", ROTATION),
    Mutation("redaction of replaced credentials", "rotation.py", "        self.renewed()", "        pass", ROTATION),
    Mutation("replaced certificates", "connections.py", "rotation.turn() != self._turn", "False", ROTATION),
    Mutation(
        "placeholders of credentials",
        "credential_env.py",
        "if not (found := form(value)):",
        "if not (found := ''):",
        ("tests/runtime/test_placeholders.py",),
    ),
    Mutation(
        "hidden characters",
        "sanitize.py",
        "if not _searcher(HIDES)(text):",
        "if True:",
        ("tests/runtime/test_responses.py", "tests/runtime/test_readable.py"),
    ),
    Mutation(
        "links below a folder",
        "safe_open.py",
        "_FOLDER = _NO_LINK |",
        "_FOLDER = 0 |",
        ("tests/runtime/test_files.py",),
    ),
    Mutation("a link as a file", "safe_open.py", "flags | _NO_LINK)", "flags)", ("tests/runtime/test_files.py",)),
    Mutation("what is no file", "safe_open.py", "if S_ISREG(os", "if True or (os", ("tests/runtime/test_files.py",)),
    Mutation(
        "links that others put there",
        "safe_open.py",
        "if not safe or links > _MOST_LINKS:",
        "if links > _MOST_LINKS:",
        ("tests/runtime/test_audit.py",),
    ),
    Mutation(
        "folders of others",
        "safe_open.py",
        "not status.st_mode & _OTHERS_WRITE",
        "True",
        ("tests/runtime/test_audit.py",),
    ),
    Mutation(
        "a hangup that is ignored",
        "server.py",
        "and _is_ignored(name)",
        "and False",
        ("tests/runtime/test_process.py",),
    ),
    Mutation(
        "a pipe as a table", "catalog.py", "if not S_ISREG(", "if None and (", ("tests/functional/test_reload.py",)
    ),
    Mutation("transfer codings", "client.py", '<= {"", "chunked"', '<= {"gzip", "", "chunked"', (RAW,)),
    Mutation("nothing of a coded answer", "client.py", "may_be_empty if self", "True if self", (RAW,)),
    Mutation("images that are none", "signatures.py", "return OCTETS if shown or", "return label if shown or", (RAW,)),
    Mutation("files that are large", "response.py", "or size > inline(shown):", "or size > 2**30:", (RAW,)),
    Mutation("names of credentials", "styles.py", "if fold(name) in credentials:", "if False:", (REQUESTS, ROWS)),
    Mutation(
        "decoding names of credentials", "folded_names.py", "for _ in range(3):", "for _ in range(0):", (REQUESTS,)
    ),
    Mutation(
        "what is read as a credential",
        "request.py",
        "if fold(field[0]) != known]",
        "if field[0] != name]",
        ("tests/runtime/test_credentials.py",),
    ),
    Mutation(
        "pairs that are read as a credential",
        "credentials.py",
        'if fold(pair.partition("=")[0]) != known)',
        'if pair.partition("=")[0] != name)',
        ("tests/runtime/test_credentials.py",),
    ),
    Mutation(
        "a cookie's value from the environment",
        "credential_env.py",
        'scheme["in"] == "cookie" and not',
        "False and not",
        ("tests/runtime/test_cookie_credentials.py",),
    ),
    Mutation(
        "a cookie's value from a login",
        "credentials.py",
        'if scheme["in"] == "cookie" and not',
        "if False and not",
        ("tests/runtime/test_cookie_credentials.py",),
    ),
    Mutation("bodies that a template empties", "request.py", ", always=True)", ")", (REQUESTS,)),
    Mutation(
        "templates of which nothing is left",
        "templates.py",
        "return found if found or always",
        "return found if True",
        (REQUESTS,),
    ),
    Mutation(
        "dropped characters beside dots",
        "request.py",
        '_CONTROL.sub("", piece.partition(";")[0])',
        "piece",
        (REQUESTS,),
    ),
    Mutation(
        "types of files that nobody names", "files.py", ' if allowed else ""):', "):", ("tests/runtime/test_files.py",)
    ),
    Mutation(
        "JSON whose commas separate items", "styles.py", "if self._is_unwritable(value):", "if False:", (REQUESTS,)
    ),
    Mutation(
        "the shown address of a refused server",
        "explain.py",
        "described or UnknownAddress(",
        "UnknownAddress(",
        cases("servers/http_shown"),
    ),
)
