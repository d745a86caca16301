"""Test settings that name files or lists: the proxy's URL in a file, the audit log, roles.

Each wrong value gives an error.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.test_settings import load


class TestProxyFile:
    """Test the setting for a file that holds the proxy's URL. The URL may contain a password."""

    def test_it_is_read_and_its_password_is_redacted(self, tmp_path: Path) -> None:
        (tmp_path / "proxy").write_text("http://user:p%40ss-word@proxy.example:3128\n")
        settings = load({"PETSTORE_PROXY_FILE": str(tmp_path / "proxy")})
        assert settings.problems == []
        assert settings["PROXY"] == "http://user:p%40ss-word@proxy.example:3128"
        assert {"p%40ss-word", "p@ss-word"} <= set(settings.private)

    @pytest.mark.parametrize(
        ("content", "more", "problem"),
        [
            ("proxy.example", {}, "PETSTORE_PROXY_FILE must be a URL that begins with https:// or http://."),
            ("", {}, "PETSTORE_PROXY_FILE names a file that is empty."),
            (None, {}, "PETSTORE_PROXY_FILE must name a file that can be read."),
            (
                "http://a:3128",
                {"PETSTORE_PROXY": "http://b:3128"},
                "PETSTORE_PROXY and PETSTORE_PROXY_FILE are both set; one of them must go.",
            ),
        ],
    )
    def test_what_is_wrong_is_said_by_name(
        self, tmp_path: Path, content: str | None, more: dict[str, str], problem: str
    ) -> None:
        if content is not None:
            (tmp_path / "proxy").write_text(content)
        settings = load({"PETSTORE_PROXY_FILE": str(tmp_path / "proxy"), **more})
        assert (settings.problems, settings["PROXY"]) == ([problem], None)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("TRACE", "perhaps", "PETSTORE_TRACE must be 1 or 0."),
        ("AUDIT_ARGUMENTS", "all", "PETSTORE_AUDIT_ARGUMENTS must be 1 or 0."),
        ("ROLES", "a b", "PETSTORE_ROLES must be names of roles, joined by commas."),
        *(
            ("AUDIT", word, "PETSTORE_AUDIT must be stderr, or the path of a file, such as ./audit.jsonl.")
            for word in ("stdout", "1", "true", "audit.jsonl")
        ),
        ("AUDIT", "/nowhere/at/all", "PETSTORE_AUDIT must name a file in a folder that can be written to."),
        (
            "AUDIT",
            "/dev/null",
            "PETSTORE_AUDIT must name a regular file that can be appended to, not a link, or stderr.",
        ),
    ],
)
def test_what_watches_is_checked_too(name: str, value: str, problem: str) -> None:
    assert load({f"PETSTORE_{name}": value}).problems == [problem]


@pytest.mark.parametrize("word", ["stderr", "STDERR", " Stderr "])
def test_the_audit_on_stderr_in_any_case(word: str) -> None:
    settings = load({"PETSTORE_AUDIT": word})
    assert (settings.problems, settings["AUDIT"]) == ([], "stderr")
