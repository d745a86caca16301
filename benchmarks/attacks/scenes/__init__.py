"""Attacks on a server. For each attack, a judge decides whether the server withstood it.

A judge looks at bytes: what the API received, what the server wrote, whether its process lives. A judge does not know
which server is tested. Its verdict says in a few words what happened.
"""

from benchmarks.attacks.scenes import answers, arguments, credentials, documents, lines, work
from benchmarks.attacks.scenes.verdicts import Scene

SCENES = (
    Scene("ARG-05", "an empty id for DELETE /items/{id}", arguments.empty_path),
    Scene("ARG-02", "`..`, `%2e%2e`, `../admin` as an id", arguments.traversal),
    Scene("ARG-20", "a misspelt argument", arguments.unknown_argument),
    Scene("ARG-18", "a call without the required body", arguments.nothing_required),
    Scene("ARG-15", "a line break in a header value", arguments.header_injection),
    Scene("ARG-16", "`Authorization` set by the model", arguments.credential_header),
    Scene("ARG-16", "`Host` set by the model", arguments.host_header),
    Scene("ARG-17", "`a; admin=1` as a cookie", arguments.cookie_injection),
    Scene("CRED-01", "a credential with a line break", credentials.secret_with_newline),
    Scene("CRED-06", "an API that echoes the request", credentials.echoed),
    Scene("CRED-02", "a redirect to another host", credentials.redirected),
    Scene("CRED-08", "an API that sets a cookie", credentials.cookie_kept),
    Scene("CFG-06", "`HTTP_PROXY` in the environment", credentials.ambient_proxy),
    Scene("UP-02", "200 MB in a 200 kB gzip", answers.bomb),
    Scene("UP-01", "an answer without an end", answers.endless),
    Scene("UP-06", "an answer that drips", answers.drip),
    Scene("UP-10", "a lone surrogate in the answer", answers.lone_surrogate),
    Scene("UP-08", "`NaN` in the answer", answers.not_a_number),
    Scene("UP-09", "a number of 5,000 digits", answers.digits),
    Scene("UP-16", "escape sequences in the answer", answers.escapes),
    Scene("IO-05", "ten lines that are no request", lines.bad_lines),
    Scene("IO-03", "bytes that are no UTF-8", lines.invalid_utf8),
    Scene("IO-06", "a last line without its end", lines.last_line),
    Scene("IO-01", "a line of 100 MB", lines.long_line),
    Scene("IO-17", "a cancel of a running call", lines.cancelled),
    Scene("LIFE-03", "a client that closed stdout", lines.client_gone),
    Scene("LIFE-04", "SIGINT", lines.interrupted),
    Scene("TXT-01", "hidden characters in a summary", documents.hidden_characters),
    Scene("HARD-03", "90,000 misspelt arguments", work.unknown_names),
    Scene("HARD-03", "90,000 wrong items", work.wrong_items),
    Scene("HARD-09", "hidden characters as HTML entities in a summary", documents.escaped_characters),
    Scene("HARD-11", "80 calls with 24 file descriptors", work.few_descriptors),
    Scene("HARD-18", "a page of HTML that says it is a PNG", answers.mislabelled_image),
    Scene("HARD-19", "64 answers of 7 MB at a time", work.large_answers),
    Scene("HARD-24", "an API that echoes the credential as `\\u0073\\u0033…`", credentials.echoed_in_escapes),
    Scene("SPEC-10", "a reference that leads nowhere", documents.broken_reference),
)
