"""Read the transcripts: conversations of a client and a server, stored in text files.

A file holds scenes, separated by blank lines. A scene begins with `# ` and its title, and has its own server. The other
lines of a scene are:

    > a line that the client writes
    < the line that the server writes next, exactly
    * an event of a waiting call (Conversation.happen)
    ~ a sentence that the server logs about an invalid line, or one of these events:
      `GET PATH JSON`: the server requests a resource from the API, with these arguments
      `N hears JSON`: call number N gets the user's answer to its question (elicitation), or null if it is invalid
      `cannot be asked`: a call cannot ask the user

Only in `reload.jsonl` and `renewed_features.jsonl` may the tools change while the server runs. If the name of a file
contains `features`, the server also has resources and prompts.

Words in capitals after a dollar sign stand for long repeated texts (`WORDS`).
"""

from __future__ import annotations

from pathlib import Path

from tests.runtime.conversation import FEATURED, LATER, TABLE

TRANSCRIPTS = Path(__file__).parent / "transcripts"

_VERSION = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
_CAPABILITIES = '"io.modelcontextprotocol/clientCapabilities":{}'
WORDS = {
    "$TOOLS": (TABLE / "tools.json").read_text().replace("\n", ""),
    "$LATER": (LATER / "tools.json").read_text().replace("\n", ""),
    "$NEWER": '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mirror","version":"1.3.0"}}',
    "$STALE": '"ttlMs":0,"cacheScope":"public"',
    "$STREAM": '"_meta":{"io.modelcontextprotocol/subscriptionId":',
    "$CHANGES": '"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true}}',
    "$META": f'"_meta":{{{_VERSION},{_CAPABILITIES}}}',
    "$FIELDS": f"{_VERSION},{_CAPABILITIES}",
    "$FORM": '"requestedSchema":{"type":"object","properties":{}}',
    "$ASKS": '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    '"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}',
    "$VERSION": _VERSION,
    "$CAPABILITIES": _CAPABILITIES,
    "$SIGNED": '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mirror","version":"1.2.0"}}',
    "$CACHED": '"ttlMs":3600000,"cacheScope":"public"',
    "$MIRROR": '"capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"mirror"',
    "$LETTERS": "a" * 1000,
    "$ASK": '"instructions":"Ask for an echo first."',
}


class Scene:
    """One conversation. `steps`: pairs of a line's first character (listed in the module) and its text, in order."""

    def __init__(self, file: str, title: str, steps: list[tuple[str, str]]) -> None:
        self.name = f"{file}: {title}"
        self.changes = file in ("reload", "renewed_features")
        self.table = FEATURED if "features" in file else TABLE
        self.steps = steps


def scenes() -> list[Scene]:
    """Return the scenes of all transcript files."""
    found = []
    for path in sorted(TRANSCRIPTS.glob("*.jsonl")):
        for block in path.read_text().strip().split("\n\n"):
            title, *lines = block.splitlines()
            assert title.startswith("# "), f"{path.name}: a scene begins with what it shows"
            steps = [(line[0], _written_out(line[2:])) for line in lines if not line.startswith("#")]
            assert all(mark in "><*~" for mark, _ in steps), path.name
            found.append(Scene(path.stem, title[2:], steps))
    return found


def _written_out(text: str) -> str:
    for word, meaning in WORDS.items():
        text = text.replace(word, meaning)
    return text
