"""List all requirements with their sources.

A test, a case or a transcript names the ids of the requirements that it covers.

`tests/architecture/test_requirements.py` checks both directions: some test names every id of this list, and every id
that a test names is in this list.

Ids of the Model Context Protocol begin with MCP. The others are attack and fault cases of our own threat model, by
target: generated text (GEN), the output directory (OUT), documents (SPEC), text for a model (TXT), arguments (ARG),
credentials (CRED), responses of the API (UP), standard input (IO), life cycle (LIFE), configuration (CFG), reliability
guarantees (REL), and the finished server (HARD).
"""

from __future__ import annotations

import re

SOURCES = {
    "MCP": "Model Context Protocol, revisions 2024-11-05 to 2026-07-28: basic, lifecycle, utilities, tools, resources",
    "GEN": "RFC 8259, TOML 1.0, CommonMark 0.31: text stays data in each syntax that it is written to",
    "OUT": "nothing is read or written outside of the output directory",
    "SPEC": "OpenAPI 3.0.4 and 3.1.1, YAML 1.2.2, RFC 6901: documents are hostile until read",
    "TXT": "names and limits of the clients and providers that read a tool list",
    "ARG": "RFC 3986, RFC 6570, RFC 9110, RFC 6265, RFC 7578: an argument stays one value at its place",
    "CRED": "RFC 9110 section 11, RFC 6750: credentials go to one origin and nowhere else",
    "UP": "RFC 9110, RFC 9112, RFC 8259: answers are hostile until read",
    "IO": "Model Context Protocol, transports: stdio; JSON-RPC 2.0",
    "LIFE": "Model Context Protocol, lifecycle: shutdown over stdio",
    "CFG": "the environment of a server is not trusted more than it must be",
    "REL": "promises of reliability",
    "HARD": "attacks on the finished server: work, origins, text, files and descriptors stay within their bounds",
}

_TABLE = """
MCP-05 initialize with a revision that is known is answered with it, with any other by the latest of that era; last wins
MCP-06 initialize without a revision is -32602
MCP-07 initialize that carries the fields of the stateless era is -32601
MCP-08 server/discover lists stateless revisions alone, with cache fields, and names the server in _meta
MCP-09 a stateless request without its fields is -32602; one in another revision is -32022 with what is supported
MCP-10 both eras are served in one process, routed by each request
MCP-11 a bare request before a handshake is refused with a hint
MCP-12 ping is answered in the older era, also before a handshake, and does not exist in the stateless one
MCP-13 methods that are removed or not advertised are -32601
MCP-14 a stateless request may be the very first line; its list carries resultType and the cache fields
MCP-15 an unknown tool is -32602
MCP-16 a malformed call is -32602; arguments that do not fit are a result with isError
MCP-17 after a cancel nothing more is said about that request
MCP-18 progress only with a token, echoed exactly, strictly forward, never after the answer
MCP-19 subscriptions/listen is acknowledged first, under its own id, and stays open
MCP-20 a batch is answered by one array, in 2025-03-26 alone
MCP-21 content and structured results have the shape that each revision knows
MCP-22 what still runs when the client leaves is answered in the shape of its revision
MCP-23 every line out is one JSON text in ASCII without lone surrogates
MCP-24 resources are advertised and read in slices; one that is not there is -32002, from 2026-07-28 on -32602
MCP-25 in the handshake era a call asks by a request of ours, from 2025-06-18 on, where the client can be asked
MCP-26 in the stateless era a call that asks ends with input_required, and the state that comes back is checked
MCP-27 that the list changed is told to who asked or shook hands, in the words of its era, where it is advertised
GEN-01 triple quotes and imports in any text of a document stay text
GEN-02 quotes and concatenations in any text stay text
GEN-03 operationIds with code become plain names
GEN-04 paths with quotes are encoded or refused
GEN-05 quotes, backslashes and comment ends in any text stay text
GEN-06 line breaks in any text stay text
GEN-07 Python that is emitted is ASCII; tables escape what is not
GEN-08 template syntax in a server URL stays text
GEN-09 enums of any size and kind stay data
GEN-10 defaults and examples that look like code stay data
GEN-11 the name of the source reaches no file but the lock
GEN-12 unknown extensions reach no file
GEN-13 what is no media type is refused
GEN-14 property names stay data
GEN-15 each emitted file parses with its own parser and holds the expected keys alone
GEN-16 lone surrogates, NUL and words of any length crash nothing
GEN-17 the same document gives the same bytes and modes
OUT-01 titles and ids that look like paths lead nowhere
OUT-02 names that some system reserves are made safe
OUT-03 ids that differ in case alone become different tools
OUT-04 names that would shadow modules do no harm
OUT-05 links in the output directory are refused
OUT-06 directories that are not ours are refused
SPEC-01 what is not a readable text of bounded size is refused
SPEC-02 documents of many operations compile, or are refused with a reason
SPEC-03 references that go in circles are refused; recursive schemas are cut
SPEC-04 aliases that multiply are refused
SPEC-05 merges that multiply are refused or stay cheap
SPEC-06 deep nesting is refused
SPEC-07 YAML tags outside of JSON are refused
SPEC-08 large documents without aliases are read
SPEC-09 YAML means what YAML 1.2 says, and keys are texts
SPEC-10 no reference is ever fetched
SPEC-11 no reference opens a file outside of the folders that a document may read
SPEC-12 references in data positions are data
SPEC-13 URIs that name schemas are never locations
SPEC-14 link-local and metadata addresses are no servers
SPEC-15 also in other spellings
SPEC-17 a server URL is http or https without user information, query and fragment
SPEC-18 server variables are settled by the operator, never by an argument
SPEC-19 no reference is fetched when arguments are checked
SPEC-20 a document by URL is read under the same limits
SPEC-21 patterns are bounded and run in linear time, or are words
SPEC-22 oversized and contradictory schemas end in a result or a sentence
SPEC-23 paths that could lead elsewhere are refused
SPEC-24 extensions never become annotations or headers
SPEC-25 TRACE and CONNECT are never offered
TXT-01 tag characters are taken out and reported
TXT-02 zero-width and bidirectional characters are taken out
TXT-03 control characters reach neither a model nor a terminal
TXT-04 texts have limits
TXT-05 names of tools and arguments fit every provider
TXT-06 texts that give orders to a model are reported, and the instructions of the server are its owner's alone
TXT-07 tools that are called like those of common hosts are reported
TXT-08 the title of a tool that deletes says so
TXT-09 links outside of texts and extensions that ask for installs reach no file
TXT-10 a description that changed makes a project stale, is shown, and moves digest and version
ARG-01 dot segments are refused
ARG-02 traversal in any encoding stays one segment or is refused
ARG-03 a slash in a path value is encoded
ARG-04 reserved characters come back as they went
ARG-05 an empty path value is refused
ARG-06 variables beside each other cannot form a dot segment
ARG-07 a URL as a value is a value
ARG-08 control characters are refused or encoded
ARG-09 lone surrogates are refused
ARG-10 arrays, objects and numbers go out by their style
ARG-11 a target over 32 KiB is refused
ARG-12 query names and values cannot add to each other
ARG-13 a fixed query stays
ARG-14 two inputs of one name have two arguments, or one value
ARG-15 header values cannot break out
ARG-16 headers of HTTP and credentials are never arguments
ARG-17 a cookie stays one pair
ARG-18 bodies are checked against their schema
ARG-19 form fields and parts cannot break out
ARG-20 unknown arguments are refused with the nearest name
ARG-21 an unknown tool is an error of few words, whatever its name
ARG-22 only integral numbers are integers
ARG-23 with --read-only what changes something is neither listed nor called
ARG-24 what was sent reads back as what was given
ARG-25 what stands beside the arguments of a call is never forwarded
CRED-01 a credential that cannot be sent is named, never shown
CRED-02 redirects are not followed
CRED-03 also with the credential in a header, the query, a cookie or a login, nothing leaves but to the API
CRED-04 not even to the same origin
CRED-05 http beyond loopback needs a setting
CRED-06 what the upstream echoes of a credential is redacted
CRED-07 short credentials redact nothing else
CRED-08 no cookie is kept
CRED-09 texts of the HTTP library never leave
CRED-10 no credential stands in what can be printed or is emitted
CRED-11 a document is fetched without credentials, and its references are not fetched
CRED-12 each origin sees its own credential alone
CRED-13 what an operation does not need is not sent; what is missing is named
CRED-14 TLS is checked
UP-01 endless and oversized bodies are cut
UP-02 compressed bombs are cut
UP-03 encodings that were not offered are refused
UP-04 chains of codings are refused
UP-05 heads over a limit are no answer
UP-06 one deadline covers the whole call
UP-07 deep and large JSON stays text
UP-08 numbers that JSON does not have stay text
UP-09 numbers of any length stay text
UP-10 any charset ends in valid text
UP-11 mislabelled and empty bodies have a defined result
UP-12 errors are short, redacted, and say the status
UP-13 broken HTTP is an error in our words
UP-14 binary answers are what they are
UP-15 of a stream without an end, what came in time is the answer
UP-16 escape sequences are taken out
UP-17 lines in a body stay in their string
UP-18 instructions in a body are data
UP-19 many small pieces cost little
UP-20 Retry-After is obeyed within the time of the call, and else said, clipped
IO-01 a line over the limit costs only itself
IO-02 deep nesting is a parse error
IO-03 invalid UTF-8 is a parse error, never replaced
IO-04 BOM, carriage returns and blank lines are taken as they are meant
IO-05 lines that are no request have one answer each
IO-06 the last line needs no end
IO-07 what is no id is refused
IO-08 ids are echoed exactly
IO-09 batches elsewhere are refused once
IO-10 numbers that JSON does not have are parse errors
IO-11 an id in use is refused
IO-12 a client that does not read makes nothing pile up
IO-13 unknown methods are -32601; unknown notifications and responses are ignored
IO-14 a call before a handshake, a second handshake and both eras in one process are answered by their rules
IO-15 names are exact, and an envelope names each key once
IO-16 cancels that mean nothing are ignored
IO-17 a cancel ends the call
IO-18 every line out parses, in any conversation
IO-19 many calls end in any order, each once
IO-20 nothing but messages reaches stdout
IO-21 stdin is the server's alone
LIFE-01 an idle server ends when stdin does
LIFE-02 what runs at the end of stdin is answered
LIFE-03 a closed stdout ends the server
LIFE-04 signals end it at once and quietly
LIFE-05 a server ends with its client, however that ends
LIFE-06 streams that are missing or useless do no harm
LIFE-07 a full stderr holds up no call
LIFE-08 a call that was cancelled is not answered when its upstream does
LIFE-09 calls that are given up leave nothing behind
LIFE-10 a call that breaks is an error and the server lives
LIFE-11 a process that is stopped goes on where it was, and no deadline goes by the time of day
CFG-01 nothing is imported from the working directory
CFG-02 the environment of others is not obeyed
CFG-03 files that do not belong together are refused at start
CFG-04 a log line stays one line
CFG-05 arguments are neither logged nor repeated, however large
CFG-06 proxies of the environment are not obeyed
CFG-07 nothing but the API is connected to
CFG-08 installing runs a static build backend, and every dependency has two bounds
REL-01 of many calls at once none is lost and none is answered twice
REL-02 a call that hangs is answered at its deadline, and delays no other
REL-03 memory stays within 64 MiB of what a small answer takes
REL-04 what is not idempotent is sent at most once
REL-05 a server ends in time, and never outlives its client
REL-06 many calls leave no more behind than few
REL-07 no line and no answer ends the process or silences it
REL-08 a run that is killed at any moment leaves the whole old or the whole new project, and loses nothing of others
REL-09 a disk that is full or fails ends a run with one sentence, and leaves the whole old project or the whole new one
REL-10 of two runs over one project at once, one is turned away with exit code 3
REL-11 a running server is not disturbed by regeneration
REL-12 a server of many tools starts, lists and stays small
REL-14 calls that are given up free all that they held
REL-15 locale, encodings, time zone and home change no answer
HARD-01 arguments that fit no form of a recursive union are refused in bounded steps, and one problem says where
HARD-02 an answer that breaks a recursive output schema is an error that holds the answer, in bounded steps
HARD-03 the work on wrong arguments does not grow with their number, and other calls go on beside it
HARD-04 patterns have a budget, which a compile tells, and one over the budget is left to the API
HARD-05 a token URL that moves to another host is breaking, and is not called until the operator names the host
HARD-06 with a base URL that the operator gave, client credentials go to no token host that is not allowed
HARD-07 a credential that moves to another place of the request is a breaking change
HARD-08 a guard that falls, and a text that begins to give orders, are breaking changes and stand first
HARD-09 characters that HTML entities hide are cleaned like any other, and reported
HARD-10 invisible characters of an answer are taken out, the same ones as of a document
HARD-11 a server with few descriptors answers each call, and sends no more at a time than it has descriptors for
HARD-12 a file below a folder is opened without following a link, whatever is exchanged meanwhile
HARD-13 redaction takes linear time, whatever the secret and the text are
HARD-14 a fetched document is decoded under one cap for all codings and read under one deadline
HARD-15 a fetched document redirects to no other host unless a flag says so
HARD-16 any document compiles within its budget, or ends with a sentence that says what used it up
HARD-17 no bound of a dependency admits a release with a published fault
HARD-18 an image goes inline by its signature, its type and its size, or else as a file
HARD-19 the answers of all calls together stay within a bound, and memory that they took is given back
HARD-20 an argument whose name folds to the name of a credential is refused
HARD-21 control characters of names and tags are shown as what they are
HARD-22 a transfer coding is decoded or is an error, and so is a coded answer that is cut
HARD-23 what stands in place of a table, of an audit file and of a terminal does not stop a server
HARD-24 a secret whose letters are written as JSON escapes is redacted
HARD-25 a document has a budget of nodes, so that 64 MiB of JSON take no more than 1 GiB
"""

REQUIREMENTS: dict[str, str] = dict(line.split(" ", 1) for line in _TABLE.strip().splitlines())

ID = re.compile(rf"(?<![A-Za-z])({'|'.join(SOURCES)})[-_](\d\d)(?!\d)", re.IGNORECASE)
"""Pattern of a requirement's id in a test: `IO-17` in texts, `io_17` in names of functions."""
