"""List mutations of the runtime: a text in a file, its replacement, and the tests that must then fail.

`python -m tests.hostile.broken` applies the replacements one at a time.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation
from tests.hostile.mutations_of_callers import OF_CALLERS
from tests.hostile.mutations_of_delegation import OF_DELEGATION
from tests.hostile.mutations_of_identity import OF_IDENTITY
from tests.hostile.mutations_of_input import OF_INPUT
from tests.hostile.mutations_of_install import OF_INSTALL
from tests.hostile.mutations_of_logins import OF_LOGINS
from tests.hostile.mutations_of_origins import OF_ORIGINS
from tests.hostile.mutations_of_reach import OF_REACH
from tests.hostile.mutations_of_results import OF_RESULTS
from tests.hostile.mutations_of_search import OF_SEARCH
from tests.hostile.mutations_of_serving import OF_SERVING
from tests.hostile.mutations_of_shares import OF_SHARES
from tests.hostile.mutations_of_signing import OF_SIGNING
from tests.hostile.mutations_of_tenants import OF_TENANTS
from tests.hostile.mutations_of_work import OF_WORK
from tests.hostile.mutations_of_workflows import OF_WORKFLOWS

REQUESTS, ROWS = "tests/runtime/test_requests.py", "tests/hostile/test_rows.py"
REMOVED = "tests/functional/test_removed.py"
LEAKS, ANSWERS = "tests/hostile/test_leaks.py", "tests/runtime/test_client_answers.py"
CONNECTIONS = "tests/runtime/test_connections.py"


MUTATIONS = (
    Mutation("dot segments", "request.py", "        if misleads(segment):", "        if False:", (REQUESTS,)),
    Mutation(
        "decoding dot segments",
        "request.py",
        "for _ in range(4):\n        if any",
        "for _ in range(1):\n        if any",
        (REQUESTS,),
    ),
    Mutation("what is sent against the template", "request.py", "    _compare(request)\n", "", (REQUESTS,)),
    Mutation("length of a target", "request.py", "if size > LONGEST_TARGET:", "if False:", (REQUESTS, ROWS)),
    Mutation("length of a head", "request.py", "if head > LONGEST_HEAD:", "if False:", (ROWS,)),
    Mutation("names of others", "styles.py", "if owner is not bound:", "if False:", (REQUESTS,)),
    Mutation("names of pairs", "styles.py", "own and pair.startswith(parameter.own)", "own", (REQUESTS,)),
    Mutation("names given twice", "styles.py", "len({each.name for each in parameters}) ==", "0 <=", (REQUESTS,)),
    Mutation("ends of names", "styles.py", 'names_of([f"{written}="]) == [name]', "True", (REQUESTS,)),
    Mutation("names that are held", "styles.py", "is not bound for each in", "is False for each in", (REQUESTS,)),
    Mutation("members that are held", "request.py", "and held & styles", "and set() & styles", (REQUESTS,)),
    Mutation("empty path values", "parameters.py", "if not piece or (", "if False and (", (REQUESTS, ROWS)),
    Mutation("line breaks of a path", "parameters.py", "if LINE_BREAK.search(piece):", "if False:", (REQUESTS,)),
    Mutation("header values", "parameters.py", "if not fields.is_value(text):", "if False:", (REQUESTS,)),
    Mutation(
        "header names",
        "parameters.py",
        "self.name.lower() in _OURS or not fields.is_name(self.name)",
        "False",
        (REQUESTS,),
    ),
    Mutation(
        "cookie separators",
        "parameters.py",
        "percent(text, _COOKIE_OCTETS), lambda",
        'percent(text, _COOKIE_OCTETS + "; "), lambda',
        (REQUESTS, ROWS),
    ),
    Mutation(
        "lone surrogates",
        "request.py",
        'raise Unsendable("expected text without lone surrogates") from None',
        "return value",
        (REQUESTS, ROWS),
    ),
    Mutation("quoting", "styles.py", "else quote(text, safe=safe)", 'else quote(text, safe=safe + "&=#")', (REQUESTS,)),
    Mutation(
        "redaction",
        "redaction.py",
        "return finds(text)",
        "return False",
        (LEAKS,),
    ),
    Mutation("redaction after a quick search", "redaction.py", "if self._may_hold(text):", "if False:", (LEAKS,)),
    Mutation(
        "secrets of digits",
        "sanitize.py",
        "not redactor.has_digits and ",
        "",
        ("tests/hostile/test_plain_path.py",),
    ),
    Mutation(
        "redaction of what is passed on",
        "plain_call.py",
        "if result.written and not redactor.may_be_in(result.written):",
        "if result.written:",
        ("tests/runtime/test_structured.py",),
    ),
    Mutation(
        "arguments of calls",
        "steps.py",
        '    ("arguments", _always, lambda services, tool: services.preparation.check),\n',
        "",
        ("tests/runtime/test_calls.py", "tests/runtime/test_steps.py"),
    ),
    Mutation(
        "consent before a call",
        "steps.py",
        '    ("consent", _binds("confirm"), ("..questions.consent", "confirm")),\n',
        "",
        ("tests/runtime/test_consent.py",),
    ),
    Mutation(
        "redaction of each result",
        "steps.py",
        '("redaction", _always, lambda services, tool: services.writer.redact)',
        '("redaction", _always, lambda services, tool: lambda call: None)',
        (LEAKS,),
    ),
    Mutation(
        "calls without the hooks that do not load",
        "steps.py",
        '    ("hooks before", _unloaded, (".hook_loading", "refuse")),\n',
        "",
        ("tests/runtime/test_steps.py",),
    ),
    Mutation(
        "hooks that do not load",
        "hook_loading.py",
        "self.idle = not unloaded",
        "self.idle = True",
        ("tests/runtime/test_hooks.py",),
    ),
    Mutation(
        "values that hooks changed",
        "hook_runner.py",
        'result.written = ""',
        "pass",
        ("tests/runtime/test_structured.py",),
    ),
    Mutation("redaction in base64", "redaction.py", "for offset in range(3):", "for offset in range(0):", (LEAKS,)),
    Mutation(
        "redaction across pieces",
        "redaction.py",
        "sure = len(buffer) if last else max(0, len(buffer) - self._reach)",
        "sure = len(buffer)",
        ("tests/runtime/test_keeping.py", "tests/runtime/test_credentials.py"),
    ),
    Mutation(
        "redirects",
        "connections.py",
        "allow_redirects=False,",
        "allow_redirects=True,",
        ("tests/runtime/test_client_requests.py",),
    ),
    Mutation(
        "line breaks in a head",
        "connections.py",
        """if not text.count("\\r") == text.count("\\n") == len(lines) + 1""",
        "if False",
        (CONNECTIONS,),
    ),
    Mutation(
        "what came unasked",
        "connections.py",
        "if not kept or connection.protocol is None or not connection.protocol.should_close:",
        "if True:",
        (CONNECTIONS,),
    ),
    Mutation(
        "a request that was not taken whole",
        "connections.py",
        "(transport is not None and transport.get_write_buffer_size())",
        "False",
        (CONNECTIONS,),
    ),
    Mutation("a large request that was refused", "connections.py", "self.status >= 400 or", "False or", (CONNECTIONS,)),
    Mutation("uploads nobody wants", "connections.py", "connection.protocol.abort()", "pass", (CONNECTIONS,)),
    Mutation(
        "reconnecting without end",
        "connections.py",
        "kept = connection.transport in self._used",
        "kept = True",
        (CONNECTIONS,),
    ),
    Mutation(
        "keys that delimit messages",
        "connections.py",
        "if not FRAMING.isdisjoint(request.names):",
        "if False:",
        ("tests/runtime/test_client_requests.py",),
    ),
    Mutation(
        "cookies kept",
        "connections.py",
        "cookie_jar=aiohttp.DummyCookieJar(),",
        "cookie_jar=aiohttp.CookieJar(unsafe=True),",
        ("tests/runtime/test_client_requests.py",),
    ),
    Mutation(
        "proxies of the environment",
        "connections.py",
        "trust_env=False,",
        "trust_env=True,",
        ("tests/runtime/test_client_requests.py",),
    ),
    Mutation(
        "deadline",
        "client.py",
        "self._deadlines.within(seconds)",
        "self._deadlines.within(86400)",
        (ANSWERS,),
    ),
    Mutation(
        "words of libraries",
        "client.py",
        "return text.format(address.authority)",
        "return f'{problem!r} {text}'.format(address.authority)",
        (ANSWERS,),
    ),
    Mutation(
        "decompression cap",
        "client.py",
        "min(self._limit + 1 - self._size, _STEP)",
        "max(10**9, self._limit)",
        (ANSWERS, "tests/runtime/test_inflate.py"),
    ),
    Mutation(
        "steps of decompression",
        "client.py",
        "min(self._limit + 1 - self._size, _STEP)",
        "self._limit + 1 - self._size",
        ("tests/runtime/test_inflate.py",),
    ),
    Mutation(
        "content codings",
        "client.py",
        'if coding not in ("gzip", "x-gzip", "deflate"):',
        'if coding in ("no such",):',
        (ANSWERS,),
    ),
    Mutation(
        "strict UTF-8",
        "jsonrpc.py",
        "loads(line.decode())",
        'loads(line.decode(errors="replace"))',
        ("tests/runtime/test_protocol.py",),
    ),
    Mutation(
        "keys named twice",
        "jsonrpc.py",
        "if repeated and (twice",
        "if False and (twice",
        ("tests/runtime/test_transcripts.py",),
    ),
    Mutation(
        "ids",
        "jsonrpc.py",
        "if type(value) is int or",
        "if isinstance(value, (int, float)) or",
        ("tests/runtime/test_protocol.py", "tests/runtime/test_transcripts.py"),
    ),
    Mutation(
        "depth of JSON",
        "jsonrpc.py",
        "> MAX_DEPTH and is_deeper(value, MAX_DEPTH)",
        "> MAX_DEPTH and False",
        ("tests/runtime/test_jsontext.py",),
    ),
    Mutation(
        "depth of JSON that is counted",
        "jsonrpc.py",
        "and _is_shallow(structure)",
        "",
        ("tests/runtime/test_jsontext.py",),
    ),
    Mutation(
        "keys named twice in JSON that is counted",
        "jsonrpc.py",
        'structure.count(b":") == members',
        "members",
        ("tests/runtime/test_jsontext.py",),
    ),
    Mutation(
        "numbers of JSON that is counted",
        "jsonrpc.py",
        "if len(text) > MAX_DIGITS and _may_hold_long_number(text):",
        "if False:",
        ("tests/runtime/test_jsontext.py",),
    ),
    Mutation(
        "escaped quotes of JSON that is counted",
        "jsonrpc.py",
        'if b"\\\\" in plain:',
        "if False:",
        ("tests/runtime/test_jsontext.py",),
    ),
    Mutation(
        "size of a line",
        "stdio.py",
        "if self._length > self._limit:",
        "if False:",
        ("tests/runtime/test_framing.py", "tests/runtime/test_load.py"),
    ),
    Mutation(
        "answers behind a cancel",
        "server.py",
        "                self._outbox.flush()  #",
        "                pass  #",
        ("tests/runtime/test_server.py",),
    ),
    Mutation(
        "answers that nobody looks after",
        "server.py",
        "return self._lending.lent and ",
        "return ",
        ("tests/runtime/test_server.py",),
    ),
    Mutation(
        "ids in use",
        "protocol.py",
        "if request.id in self._in_flight.ids:",
        "if False:",
        ("tests/runtime/test_transcripts.py",),
    ),
    Mutation(
        "answers after a cancel",
        "protocol.py",
        "        call = self._in_flight.calls.pop(key)\n        withdrawn",
        "        call = self._in_flight.calls[key]\n        withdrawn",
        ("tests/runtime/test_transcripts.py",),
    ),
    Mutation("private stdout", "stdio.py", "        os.dup2(2, 1)\n", "", ("tests/runtime/test_process.py",)),
    Mutation(
        "read only", "catalog.py", "self.tools = [self._described.keep(kept)]", "self._described.keep(names)", (ROWS,)
    ),
    Mutation(
        "unknown arguments",
        "arguments.py",
        "for name in arguments if name not in known and",
        "for name in () if",
        ("tests/runtime/test_arguments.py", ROWS),
    ),
    Mutation(
        "signature of a ticket",
        "signed_state.py",
        'if not hmac.compare_digest(signature.encode("utf-8", "replace"), self._signature(body).encode()):',
        "if False:",
        ("tests/runtime/test_tickets.py", "tests/runtime/test_consent.py"),
    ),
    Mutation(
        "subject of a ticket",
        "signed_state.py",
        "if about != subject:",
        "if False:",
        ("tests/runtime/test_consent.py",),
    ),
    Mutation("end of a ticket", "signed_state.py", "if now >= until:", "if False:", ("tests/runtime/test_consent.py",)),
    Mutation(
        "origin of a server",
        "origins.py",
        "return address.host in self._hosts or",
        "return True or",
        ("tests/runtime/test_settings.py",),
    ),
    Mutation(
        "http without TLS",
        "origins.py",
        'raise ValueError(f"must begin with https:// unless {self._prefix}_ALLOW_HTTP is 1")',
        "pass",
        ("tests/runtime/test_settings.py",),
    ),
    Mutation(
        "link-local addresses",
        "origins.py",
        "if address.forbidden:",
        "if False:",
        ("tests/runtime/test_settings.py", "tests/runtime/test_addresses.py"),
    ),
    Mutation(
        "digest of the table",
        "catalog.py",
        'if header.get("digest") != found:',
        "if False:",
        ("tests/runtime/test_torn.py",),
    ),
    Mutation(
        "an audit on a stderr that is closed",
        "recording.py",
        "path == STDERR and 2 in gaps",
        "False",
        ("tests/functional/test_watching.py",),
    ),
    Mutation(
        "length of an audit line",
        "audit.py",
        "LONGEST - len(dumps(told)) - 1",
        "LONGEST",
        ("tests/runtime/test_audit.py",),
    ),
    Mutation("blanks in a question", "sanitize.py", " and each not in BLANK", "", ("tests/runtime/test_consent.py",)),
    Mutation(
        "fields of an answer with removals", "result_rules.py", "if name.lower() in _KEPT_FIELDS", "if True", (REMOVED,)
    ),
    Mutation(
        "names that look the same",
        "drop_fields.py",
        "alike(name) for name in value",
        "name for name in value",
        (REMOVED,),
    ),
    Mutation(
        "plain values in the way",
        "drop_fields.py",
        "return ABSENT if paths and value is not None else value",
        "return value",
        (REMOVED,),
    ),
    Mutation(
        "an object alone in place of a list",
        "drop_fields.py",
        "rests <= paths",
        "True",
        ("tests/runtime/test_removal.py",),
    ),
    Mutation("bytes that are no text", "result_rules.py", 'return "" if whole and', 'return "" if', (REMOVED,)),
    Mutation("markup in values", "request.py", "templates.in_xml if", "str if", (REQUESTS,)),
    *OF_DELEGATION,
    *OF_IDENTITY,
    *OF_ORIGINS,
    *OF_REACH,
    *OF_SIGNING,
    *OF_TENANTS,
    *OF_RESULTS,
    *OF_SERVING,
    *OF_WORK,
    *OF_WORKFLOWS,
    *OF_INPUT,
    *OF_CALLERS,
    *OF_LOGINS,
    *OF_SEARCH,
    *OF_INSTALL,
    *OF_SHARES,
)
