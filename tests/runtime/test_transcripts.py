"""Replay the transcripts with the input in one piece, byte by byte, and with other line ends.

The output must be the same.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.runtime.conversation import Conversation
from tests.runtime.transcripts import Scene, scenes

SCENES = scenes()


def replay(scene: Scene, say: Callable[[Conversation, bytes], None], line_end: bytes = b"\n") -> list[str]:
    """Replay a scene, and return the output. All client lines (`>`) before the next event (`*`) are sent together."""
    conversation = Conversation(changes=scene.changes, table=scene.table)
    said = b""
    for mark, text in scene.steps:
        if mark == ">":
            said += text.encode() + line_end
        elif mark == "*":
            say(conversation, said)
            said = b""
            conversation.happen(text)
    say(conversation, said)
    return conversation.written


def whole(conversation: Conversation, said: bytes) -> None:
    conversation.say(said)


def byte_by_byte(conversation: Conversation, said: bytes) -> None:
    for at in range(len(said)):
        conversation.say(said[at : at + 1])


def expected(scene: Scene) -> list[str]:
    return [f"{mark} {text}" for mark, text in scene.steps if mark in "<~"]


def in_order(scene: Scene) -> bool:
    """Return True if, in the transcript, each output line follows directly after the step that causes the line."""
    conversation = Conversation(changes=scene.changes, table=scene.table)
    seen = 0
    for mark, text in scene.steps:
        if mark == ">":
            conversation.say(text.encode() + b"\n")
        elif mark == "*":
            conversation.happen(text)
        else:
            seen += 1
            if len(conversation.written) < seen:
                return False
    return len(conversation.written) == seen


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
class TestScenes:
    def test_whole(self, scene: Scene) -> None:
        assert replay(scene, whole) == expected(scene)

    def test_byte_by_byte(self, scene: Scene) -> None:
        assert replay(scene, byte_by_byte) == expected(scene)

    def test_with_carriage_returns_and_blank_lines(self, scene: Scene) -> None:
        """Test requirement IO-04: lines may end in CRLF, and blank lines are skipped."""
        assert replay(scene, whole, b"\r\n\r\n \t\n\n") == expected(scene)

    def test_every_line_is_where_the_transcript_has_it(self, scene: Scene) -> None:
        assert in_order(scene)
