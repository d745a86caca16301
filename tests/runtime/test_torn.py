"""Test how a server starts with damaged files, or with files of different compiles."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog

from tests.runtime.process import Server, generate

TORN = {
    "tools.json is edited": ("tools.json", lambda text: text.replace("Echo", "Ohce"), "do not belong together"),
    "tools.json is missing": ("tools.json", None, "tools.json cannot be read"),
    "bindings.json is missing": ("bindings.json", None, "bindings.json cannot be read"),
    "bindings.json is empty": ("bindings.json", lambda text: "", "cut short"),
    "bindings.json is cut short": ("bindings.json", lambda text: text[:-200], "cut short"),
    "bindings.json lacks a tool": (
        "bindings.json",
        lambda text: text.replace(text.split("\n")[1] + "\n", ""),
        "was edited",
    ),
    "its first line is no JSON": ("bindings.json", lambda text: "{" + text, "no JSON object"),
    "its first line lacks a key": (
        "bindings.json",
        lambda text: text.replace('"environment"', '"x"', 1),
        "incomplete",
    ),
    "it has a security scheme of a later kind": (
        "bindings.json",
        lambda text: text.replace('"ways":{"given"', '"ways":{"signed":[],"given"', 1),
        "with a matching version of mcpgen: the security scheme 'key' of its table"
        " names the way 'signed' to get its credential, which this server does not know",
    ),
    "it is of another format": ("bindings.json", lambda text: text.replace('"mcpgen":2', '"mcpgen":3'), "format 2"),
}


class TestStart:
    def test_cfg_01_the_working_directory_is_not_imported_from(self, tmp_path: Path) -> None:
        generate(tmp_path)
        for name in ("json", "_json", "asyncio", "select", "binascii", "threading", "shapes", "runtime"):
            (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the working directory')\n")
        with Server(tmp_path) as server:
            assert server.ask("tools/call", name="echo", arguments={"text": "hi"})["result"]["isError"] is False
            server.end()
            assert server.ended() == 0

    @pytest.mark.parametrize("size", [10, 61_440, 200_000])
    def test_a_table_of_any_length_is_listed_as_it_is(self, tmp_path: Path, size: int) -> None:
        """List the tools unchanged, whatever the length of `tools.json`.

        The server reads `tools.json` and the first line of `bindings.json` in pieces.
        """
        table = generate(tmp_path)
        tools: list[dict[str, Any]] = json.loads((table / "tools.json").read_text())
        for tool in tools:
            tool["description"] += " a\\n" * size
        described = ("[\n" + ",\n".join(json.dumps(tool, separators=(",", ":")) for tool in tools) + "\n]\n").encode()
        first, _, rest = (table / "bindings.json").read_text().partition("\n")
        header = json.loads(first + "]}")
        header["digest"] = f"{zlib.crc32(described):08x}"
        header["server"]["instructions"] = "b" * size
        first = json.dumps(header, separators=(",", ":")).removesuffix("]}")
        (table / "tools.json").write_bytes(described)
        (table / "bindings.json").write_text(f"{first}\n{rest}")
        assert all(len(piece) <= 61_440 for piece in Catalog.load(str(table)).tools)
        with Server(tmp_path) as server:
            assert server.ask("tools/list")["result"]["tools"] == tools
            assert server.ask("server/discover")["result"]["instructions"] == "b" * size
            server.end()
            assert server.ended() == 0

    @pytest.mark.parametrize(("file", "edit", "sentence"), TORN.values(), ids=TORN.keys())
    def test_cfg_03_a_torn_table_is_one_sentence(self, tmp_path: Path, file: str, edit: object, sentence: str) -> None:
        table = generate(tmp_path) / file
        if callable(edit):
            table.write_text(edit(table.read_text()))
        else:
            table.unlink()
        with Server(tmp_path) as server:
            assert server.ended() == 78
            [complaint] = server.complaints()
            assert complaint.startswith("Generate the server again")
            assert sentence in complaint
            assert server.rest() == []
