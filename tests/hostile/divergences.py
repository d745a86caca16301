"""List every point in which our servers differ from the catalogue of attack cases, with the reason.

An entry names the part of a case that differs. Tests cover the other parts of the case. `shown` is the test or file
that shows our behavior. `tests/architecture/test_requirements.py` checks that list and tests agree.
"""

from __future__ import annotations

from typing import NamedTuple


class Divergence(NamedTuple):
    """One difference between what our servers do and what the catalogue of attack cases expects.

    `part`: what differs in each of the `cases`, such as "arguments that are null".
    """

    cases: tuple[str, ...]
    part: str
    expected: str
    ours: str
    why: str
    shown: str
    """Path of the test or file, or `PATH::TEXT` if the file must contain that text."""


DIVERGENCES = (
    Divergence(
        ("TXT-10",),
        "the command, and the digest",
        "`mcpgen check` exits with 1; the digest of the tools is in the serverInfo",
        "`mcpgen regenerate --check` exits with 1; digests are in the lock, and the version in serverInfo moves",
        "check is about a document; a version is what clients show, and it moves with every change that they can see",
        "tests/functional/test_regenerate.py::test_txt_10_one_changed_description_is_stale_and_shown",
    ),
    Divergence(
        ("ARG-03",),
        "an opt-in for slashes",
        "a setting of a parameter that lets its slashes make segments",
        "a slash in a path value is always encoded",
        "OpenAPI has no such parameter before allowReserved in 3.2, where a slash is excluded too",
        "tests/runtime/requests/path.json::a/b?c#d",
    ),
    Divergence(
        ("ARG-14",),
        "at compile time",
        "two parameters of one wire name are refused",
        "each place has an argument, or both have one value; what meets when it is written is refused",
        "published documents have such pairs, and nothing writable is dropped",
        "tests/runtime/requests/query.json::ARG-14",
    ),
    Divergence(
        ("CRED-01",),
        "an empty variable",
        "an error at the start",
        "not set",
        "containers and clients set variables that they have no value for",
        "tests/runtime/test_settings.py::test_cred_01_an_empty_credential_is_not_set",
    ),
    Divergence(
        ("CRED-14",),
        "a flag that switches checking off",
        "a loud flag",
        "no such flag; a CA file is how a private server is trusted",
        "whoever can set a flag can name a file, and a flag stays set",
        "tests/runtime/test_tls.py::test_a_certificate_of_the_operators_authority_is_trusted",
    ),
    Divergence(
        ("UP-01", "UP-02"),
        "an answer over the limit, where it is a success",
        "an error that names the limit",
        "its beginning, what was left out, and slices of all that came up to the limit of what is kept",
        "the design settles it: a model can go on with a beginning, and cannot with a refusal",
        "tests/functional/test_large_answers.py::test_up_01",
    ),
    Divergence(
        ("UP-07",),
        "the depth up to which JSON is structured",
        "64 levels, a megabyte",
        "128 levels, half a megabyte; of more the beginning is parsed",
        "half a megabyte bounds the time that the loop stands still, whatever the depth",
        "tests/runtime/test_responses.py::up_07",
    ),
    Divergence(
        ("UP-08", "UP-09"),
        "the structured value of numbers that JSON or a double does not have",
        "left out, with a note",
        "the text, under `_text`",
        "clients raise where a promised structured value is missing",
        "tests/runtime/responses/structured.json::UP-08",
    ),
    Divergence(
        ("UP-16",),
        "what becomes of control characters",
        "written as their escapes",
        "taken out and counted",
        "an escape is longer than what it hides, and no model needs it",
        "tests/runtime/responses/successes.json::UP-16",
    ),
    Divergence(
        ("IO-01", "IO-02", "IO-03", "IO-05", "IO-07", "IO-09", "IO-10", "IO-15"),
        "an error whose id could not be read",
        "an answer with the id null",
        "before a handshake and from 2025-11-25 on an error without an id; in earlier revisions the id null",
        "from 2025-11-25 on, such an error has no id, and no revision has an id that is null",
        "tests/runtime/transcripts/ids.jsonl::IO-07",
    ),
    Divergence(
        ("IO-09",),
        "batches in 2025-03-26",
        "refused",
        "answered by one array, in that revision alone",
        "that revision demands it",
        "tests/runtime/transcripts/batches.jsonl::MCP-20",
    ),
    Divergence(
        ("LIFE-02",),
        "how long calls may go on after the end of stdin",
        "2 s",
        "1.5 s",
        "clients send SIGTERM after two seconds",
        "templates/package/runtime/core/stdio.py::LAST_SECONDS = 1.5",
    ),
    Divergence(
        ("TXT-05",),
        "names that a person wrote",
        "^[A-Za-z][A-Za-z0-9_]{0,63}$",
        "^[A-Za-z0-9_-]{1,64}$, as it was written",
        "the design settles it: what is written by hand is kept",
        "tests/cases/toolsfile",
    ),
    Divergence(
        ("TXT-08",),
        "what a title carries",
        "method and path behind it",
        "a verb that fits the method",
        "titles are shown to people in one line; the description names method and path",
        "tests/hostile/test_text.py::test_txt_08",
    ),
    Divergence(
        ("CFG-02",),
        "PYTHONPATH and SSL_CERT_FILE",
        "hostile, so not obeyed",
        "obeyed, by Python and by OpenSSL",
        "who sets them starts the interpreter; installations depend on both",
        "tests/hostile/test_rows.py::SSL_CERT_FILE",
    ),
    Divergence(
        ("CFG-07",),
        "how it is shown that nothing but the API is connected to",
        "the whole suite in a namespace without a network",
        "an audit hook in the process; and no server of the suite calls the proxy that its environment names",
        "a namespace needs rights that machines do not always give",
        "tests/hostile/test_surroundings.py::test_cfg_07",
    ),
    Divergence(
        ("CFG-08",),
        "known vulnerabilities of dependencies",
        "pip-audit in CI",
        "bounds above every fault of a list with dates; the scheduled workflow audits, the suite does not",
        "what is known changes from day to day, and a test is to fail by a change of ours",
        "tests/architecture/known_faults.py::LOOKED_UP",
    ),
)
