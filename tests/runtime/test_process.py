"""Test the server as a process with pipes: how it ends, signals, file descriptors, memory."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.conversation import TABLE
from tests.runtime.process import Server, call, fill, generate, line
from tests.runtime.revisions import R1, R2, R3, R4, R5

#: Modules that may be imported before the first response, in addition to the package's own and those that Python
#: imports itself.
EARLY = {"__future__", "_json", "_signal", "_thread", "binascii", "itertools"}
OWN = {
    "core",
    *(
        "core.stdio",
        "core.jsonrpc",
        "core.jsonrpc",
        "core.protocol",
        "core.effects",
        "core.effects",
        "core.wire_formats",
        "core.protocol",
        "core.catalog",
        "core.protocol",
        "core.effects",
        "core.stdio",
    ),
    "server",
}


def imported(home: Path, *flags: str, said: bytes = b"") -> set[str]:
    """Return the modules that Python imports until it ends, with these flags, and with `said` on stdin."""
    command = [sys.executable, "-X", "importtime", *flags]
    done = subprocess.run(command, cwd=home, input=said, capture_output=True, check=True)
    return set(re.findall(r"\| +([\w.]+)$", done.stderr.decode(), re.MULTILINE))


def test_little_is_imported_before_the_first_answer(home: Path) -> None:
    """Check that a client that sends only `server/discover`, `initialize` and `ping` does not make the server load the
    modules that run calls.
    """
    said = line("server/discover") + line("initialize", protocolVersion=R4) + line("ping")
    before = imported(home, "-c", "import runpy")
    loaded = imported(home, "-m", "mirror_mcp", said=said) - before - {"runpy"}
    own = {name.removeprefix("mirror_mcp.runtime.") for name in loaded if name.startswith("mirror_mcp.runtime.")}
    assert own == OWN
    assert {name for name in loaded if not name.startswith("mirror_mcp")} <= EARLY


def test_the_engine_loads_once_the_tools_are_listed(home: Path) -> None:
    with Server(home) as server:
        server.ask("server/discover")
        server.ask("tools/list")
        assert server.complaint() == "loaded"


@pytest.mark.parametrize("revision", [R1, R2, R3, R4])
def test_a_whole_session_of_the_handshake_era(home: Path, revision: str) -> None:
    with Server(home) as server:
        server.say(line("initialize", protocolVersion=revision))
        assert server.message()["result"]["protocolVersion"] == revision
        server.say(
            b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
        )
        tools = server.message()["result"]["tools"]
        assert tools == json.loads((TABLE / "tools.json").read_text())
        server.say(
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}\n'
        )
        assert server.message()["result"]["content"] == [{"type": "text", "text": "hi"}]
        server.end()
        assert server.ended() == 0


def test_a_whole_session_of_the_stateless_era(home: Path) -> None:
    with Server(home) as server:
        assert server.ask("server/discover")["result"]["supportedVersions"] == [R5]
        assert [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]] == ["echo", "show", "wait"]
        assert server.ask("tools/call", name="echo", arguments={"text": "hi"})["result"]["content"][0]["text"] == "hi"
        assert server.request("subscriptions/listen", notifications={})
        assert server.message()["method"] == "notifications/subscriptions/acknowledged"
        server.end()
        assert server.rest() == []
        assert server.ended() == 0


def test_mcp_24_what_calls_left_behind_is_read_and_before_the_first_of_them_there_is_nothing(home: Path) -> None:
    with Server(home) as server:
        assert server.ask("resources/read", uri="mirror://result/1")["error"]["code"] == -32602
        server.ask("tools/call", name="echo", arguments={"text": "hi"})
        [content] = server.ask("resources/read", uri="mirror://result/1")["result"]["contents"]
        assert content["text"] == "kept"


class TestQuestions:
    """Test requirement MCP-25: the server asks the client while a call runs."""

    def test_the_answer_reaches_the_call(self, home: Path) -> None:
        with Server(home) as server:
            asked = server.asking()
            server.say(b'{"jsonrpc":"2.0","id":"mcpgen-1","result":{"action":"accept"}}\n')
            answer = server.message()
            assert (answer["id"], answer["result"]["content"][0]["text"]) == (asked, "{'action': 'accept'}")
            server.end()
            assert server.ended() == 0

    def test_a_cancel_takes_the_question_back(self, home: Path) -> None:
        with Server(home) as server:
            server.cancel(server.asking())
            withdrawn = server.message()
            assert withdrawn["method"] == "notifications/cancelled"
            assert withdrawn["params"] == {"requestId": "mcpgen-1"}
            server.end()
            assert server.rest() == []
            assert server.ended() == 0

    def test_others_are_answered_meanwhile(self, home: Path) -> None:
        with Server(home) as server:
            server.asking()
            assert server.ask("tools/call", name="echo", arguments={"text": "hi"})["result"]["content"]
            server.end()
            assert len(server.rest()) == 1


class TestEnd:
    """Test what happens when stdin ends."""

    @pytest.mark.parametrize("engine", [False, True])
    def test_life_01_idle(self, home: Path, engine: bool) -> None:
        with Server(home) as server:
            server.ask("tools/list" if engine else "server/discover")
            server.end()
            assert server.rest() == []
            assert server.ended() == 0

    def test_life_02_what_runs_is_finished(self, home: Path) -> None:
        with Server(home) as server:
            for number in range(20):
                server.call("echo", text=str(number))
            server.end()
            assert sorted(answer["result"]["content"][0]["text"] for answer in server.rest()) == sorted(
                map(str, range(20))
            )
            assert server.ended() == 0

    def test_life_02_what_does_not_finish_is_answered_as_an_error(self, home: Path) -> None:
        with Server(home) as server:
            running = server.waiting()
            server.end()
            [answer] = server.rest()
            assert answer["id"] == running
            assert answer["result"]["isError"] is True
            assert "stopped" in answer["result"]["content"][0]["text"]
            assert server.ended() == 0

    def test_mcp_24_what_asks_is_answered_by_nobody(self, home: Path) -> None:
        """Check that a call that waits for a user's answer ends at once when stdin ends, not after its time limit."""
        with Server(home) as server:
            asked = server.asking()
            server.end()
            answer, *rest = server.rest()
            assert (answer["id"], answer["result"]["content"][0]["text"]) == (asked, "None")
            assert rest == []
            assert server.ended() == 0

    def test_io_06_the_last_line_needs_no_end(self, home: Path) -> None:
        with Server(home) as server:
            server.say(line("ping") + line("tools/call", name="echo", arguments={"text": "last"}).rstrip())
            server.end()
            ping, last = server.rest()
            assert ping["result"] == {}
            assert last["result"]["content"][0]["text"] == "last"
            assert server.ended() == 0

    def test_io_06_an_incomplete_line_is_a_parse_error(self, home: Path) -> None:
        with Server(home) as server:
            server.say(b'{"jsonrpc":"2.0"')
            server.end()
            assert [answer["error"]["code"] for answer in server.rest()] == [-32700]
            assert server.ended() == 0


class TestSignals:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    @pytest.mark.parametrize("busy", [False, True])
    def test_life_04_the_process_ends_at_once_and_quietly(self, home: Path, number: signal.Signals, busy: bool) -> None:
        with Server(home) as server:
            if busy:
                server.waiting()
                assert server.complaint() == "loaded"
            else:
                server.ask("server/discover")
            server.process.send_signal(number)
            assert server.ended() == 128 + number
            assert server.rest() == []
            assert server.complaints() == []

    def test_hard_23_a_hangup_that_was_ignored_at_the_start_stays_ignored(self, home: Path) -> None:
        """Check that SIGHUP stays ignored if it was ignored at the start, as `nohup` does."""
        ignoring = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
        start = "os.execv(sys.executable, [sys.executable, '-m', 'mirror_mcp'])"
        with Server(home, program=("-c", ignoring + start)) as server:
            server.ask("server/discover")
            server.process.send_signal(signal.SIGHUP)
            assert "result" in server.ask("tools/list")
            server.process.send_signal(signal.SIGTERM)
            assert server.ended() == 128 + signal.SIGTERM


class TestStdoutClosed:
    @pytest.mark.parametrize("busy", [False, True])
    def test_life_03_with_stdin_open(self, home: Path, busy: bool) -> None:
        """Check that the server notices that its client has left, after a listing or a call, although the server writes
        nothing.
        """
        read, write = os.pipe()
        with Server(home, stdout=write) as server:
            os.close(write)
            server.request("tools/list")
            assert os.read(read, 1)
            if busy:
                server.call("wait")
            os.close(read)
            assert server.ended() == 0
            assert [word for word in server.complaints() if word != "loaded"] == []

    def test_life_03_at_the_next_write(self, home: Path) -> None:
        read, write = os.pipe()
        os.close(read)
        with Server(home, stdout=write) as server:
            os.close(write)
            server.request("server/discover")
            assert server.ended() == 0
            assert server.complaints() == []


class TestPrivateStreams:
    def test_io_20_what_a_tool_prints_goes_to_stderr(self, home: Path) -> None:
        """Check that output of `print` goes to stderr. Covers IO-21, too: a child process reads nothing from stdin."""
        with Server(home) as server:
            answer = server.ask("tools/call", name="echo", arguments={"text": "print"})
            assert answer["result"]["content"][0]["text"] == "''"
            assert {server.complaint() for _ in range(4)} == {"loaded", "a print", "a library in C", "a child"}
            assert server.ask("tools/call", name="echo", arguments={"text": "after"})["result"]["isError"] is False

    @pytest.mark.parametrize(
        ("closed", "code"),
        {
            "stdin": ("<&-", 0),
            "stdout": (">&-", 0),
            "stderr": ("2>&-", 0),
            "all": ("<&- >&- 2>&-", 0),
            "full": (">/dev/full", 0),
        }.values(),
        ids=["stdin", "stdout", "stderr", "all", "full"],
    )
    def test_life_06_started_without_some_of_its_streams(self, home: Path, closed: str, code: int) -> None:
        done = subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" -m mirror_mcp {closed}', sys.executable],
            cwd=home,
            input=line("server/discover") + line("tools/call", name="echo", arguments={"text": "hi"}),
            capture_output=True,
            check=False,
        )
        assert done.returncode == code
        answers = [json.loads(each) for each in done.stdout.splitlines()]
        assert [answer["id"] for answer in answers] == (["server/discover", "tools/call"] if closed == "2>&-" else [])
        assert b"Traceback" not in done.stderr

    def test_life_06_no_file_gets_the_number_of_a_stream_that_is_closed(self, home: Path) -> None:
        """Check that no new file gets the descriptor of a closed stream.

        Else a socket with number 2 would get everything printed to stderr.
        """
        asked = (
            "import os; from mirror_mcp.runtime.core import stdio; "
            "stdio.fill_gaps(); print(os.readlink('/proc/self/fd/2'))"
        )
        done = subprocess.run(
            ["/bin/sh", "-c", 'exec "$0" -c "$1" <&- 2>&-', sys.executable, asked],
            cwd=home,
            capture_output=True,
            check=True,
        )
        assert done.stdout == b"/dev/null\n"

    def test_streams_that_are_sockets(self, home: Path) -> None:
        """Run the server with sockets as streams, as node creates them.

        Stdin then ends by a shutdown of one direction, which must not count as a closed connection.
        """
        ours_in, its_in = socket.socketpair()
        ours_out, its_out = socket.socketpair()
        with ours_in, ours_out, Server(home, stdin=its_in, stdout=its_out) as server, ours_out.makefile("rb") as out:
            its_in.close()
            its_out.close()
            ours_out.shutdown(socket.SHUT_WR)
            ours_in.sendall(line("tools/list"))
            assert b'"tools"' in out.readline()
            assert server.complaint() == "loaded"
            ours_in.sendall(call(1, "echo", text="hi") + call(2, "echo", text="ho"))
            ours_in.shutdown(socket.SHUT_WR)
            assert len(out.readlines()) == 2
            assert server.ended() == 0

    def test_a_pipe_that_the_parent_left_non_blocking(self, home: Path) -> None:
        read, write = os.pipe()
        os.set_blocking(write, False)
        with Server(home, stdout=write) as server, open(read, "rb") as out:
            os.close(write)
            server.call("echo", text="x" * 1_000_000)
            answer = json.loads(out.readline())
            assert len(answer["result"]["content"][0]["text"]) == 1_000_000

    def test_life_07_a_full_stderr_does_not_hold_up_calls(self, home: Path) -> None:
        read, write = os.pipe()
        with Server(home, stderr=write) as server:
            server.ask("tools/call", name="echo", arguments={"text": "loaded by now"})
            fill(write)
            os.close(write)
            for _ in range(100):
                assert server.ask("tools/call", name="echo", arguments={"text": "break"})["error"]["code"] == -32603
            server.end()
            assert server.ended() == 0
        os.close(read)


class TestCancel:
    def test_io_17_the_call_ends_and_nothing_is_said(self, home: Path) -> None:
        with Server(home) as server:
            first, second = server.waiting(), server.waiting()
            assert server.complaint() == "loaded"
            server.cancel(first)
            assert server.complaint() == "cancelled"
            server.cancel(first)
            assert (
                server.ask("tools/call", name="echo", arguments={"text": "others go on"})["result"]["isError"] is False
            )
            server.cancel(second)
            assert server.complaint() == "cancelled"
            server.end()
            assert server.rest() == []
            assert server.ended() == 0

    def test_io_17_before_it_starts(self, home: Path) -> None:
        """Cancel a call before the server has loaded the modules that run calls."""
        with Server(home) as server:
            cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}'
            server.say(call("w", "wait") + cancel + b"\n")
            server.end()
            assert server.rest() == []
            assert server.ended() == 0


class TestFailures:
    @pytest.mark.parametrize("text", ["break", "exit", "cancel"])
    def test_life_10_a_call_that_breaks_is_an_error_and_the_server_lives(self, home: Path, text: str) -> None:
        with Server(home) as server:
            answer = server.ask("tools/call", name="echo", arguments={"text": text})
            assert answer["error"]["code"] == -32603
            assert "Error" not in answer["error"]["message"]
            assert server.ask("tools/call", name="echo", arguments={"text": "alive"})["result"]["isError"] is False
            assert server.complaint() == "loaded"
            if text != "cancel":
                event = json.loads(server.complaint())
                assert event["event"] == "call_broke"
                assert event["call"] in answer["error"]["message"]
                assert "secrets" not in json.dumps(event)
                assert f"_{text}" in event["at"]

    def test_what_cannot_be_loaded_is_said_at_each_call(self, tmp_path: Path) -> None:
        package = generate(tmp_path)
        (package / "runtime" / "calls" / "execution.py").write_text("import no_such_module\n")
        with Server(tmp_path) as server:
            for _ in range(2):
                answer = server.ask("tools/call", name="echo", arguments={})
                assert answer["error"]["code"] == -32603
                assert "log" in answer["error"]["message"]
            event = json.loads(server.complaint())
            assert event["event"] == "not_loaded"
            assert "no_such_module" in event["reason"]
            server.end()
            assert server.ended() == 0
