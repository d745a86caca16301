"""Test what `install` and `uninstall` refuse: each with a sentence that names the file, and without any change."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from package.runtime.install import config_file

from tests.install.client_files import BROKEN, Home, servers

MakeHome = Callable[[str], Home]

WORDS = {
    "codex/double_brackets.toml": "3:1: mcp_servers is expected once, in single brackets",
    "codex/inline.toml": "2:1: mcp_servers is written on one line; write it as tables in brackets",
    "codex/no_quotes.toml": "1:9: this is no valid TOML",
    "codex/twice.toml": "4:15: this is no valid TOML",
    "cursor/array.json": "1:1: the file must hold an object in braces",
    "cursor/cut_off.json": "3:11: a name in double quotes or } is expected here",
    "cursor/deep.json": "1:1006: values are nested more than 200 deep",
    "cursor/latin1.json": " is not text in UTF-8. Save it as UTF-8, then try again.",
    "cursor/missing_comma.json": "4:5: a comma or } is expected here",
    "cursor/open_comment.json": "2:20: a comment does not end",
    "cursor/section_is_list.json": "2:17: an object in braces is expected here",
    "cursor/section_is_null.json": "2:17: an object in braces is expected here",
    "cursor/section_twice.json": '3:3: "mcpServers" stands here a second time',
    "cursor/single_quotes.json": "2:3: a name in double quotes or } is expected here",
    "cursor/two_values.json": "2:1: there is more behind the end of the value",
    "cursor/utf16.json": " is not text in UTF-8. Save it as UTF-8, then try again.",
    "goose/flow.yaml": "1:1: extensions is not written as lines of its own, below its name",
    "goose/indented.yaml": "4:3: this line is indented as no line above",
    "goose/list.yaml": "1:1: a name with a colon is expected here",
    "goose/open_quote.yaml": "1:14: this quoted text does not end",
    "goose/tab.yaml": "2:1: a tab indents this line; YAML takes blanks",
    "goose/two_documents.yaml": "2:1: a second document begins here",
}


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_a_broken_file_is_refused_untouched(case: Path, home: MakeHome) -> None:
    here = home(case.parent.name)
    here.fill(case.read_bytes())
    code, out, err = here.install()
    assert (code, out) == (1, "")
    words = WORDS[f"{here.client}/{case.name}"]
    assert err.startswith(f"{here.file}{words if words[0] == ' ' else f':{words}'}")
    assert here.files() == {here.file.relative_to(here.folder).as_posix(): case.read_bytes()}


OTHERS = {
    "cursor": b'{"mcpServers": {"petstore": {"command": "npx", "args": ["petstore"], "env": {"A": "petstore-mcp"}}}}',
    "vscode": b'{"servers": {"petstore": {"url": "https://other.example/mcp"}}}',
    "codex": b'[mcp_servers.petstore]\ncommand = "petstore"\n',
    "goose": b"extensions:\n  petstore:\n    type: builtin\n    name: petstore\n",
    "opencode": b'{"mcp": {"petstore": {"type": "local", "command": ["petstore", "mcp"]}}}',
    "zed": b'{"context_servers": {"petstore": {"source": "extension"}}}',
    "kiro": b'{"mcpServers": {"petstore": "off"}}',
}


@pytest.mark.parametrize("client", OTHERS)
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_another_server_of_the_name_is_left_alone(client: str, command: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(OTHERS[client])
    for flags in ((), ("--http", "https://petstore.example/mcp")):
        code, out, err = here.run(command, *flags)
        assert (code, out) == (1, "")
        assert "--name" in err
        assert here.file.read_bytes() == OTHERS[client]
        assert len(here.files()) == 1
    assert here.install("--name", "pets")[0] == 0
    assert {"petstore", "pets"} == servers(client, here.file.read_bytes()).keys()


OURS = {
    "cursor": b'{"mcpServers": {"petstore": {"command": "/old/bin/petstore-mcp", "args": []}}}',
    "zed": b'{"context_servers": {"petstore": {"command": {"path": "petstore-mcp", "args": []}}}}',
    "goose": b"extensions:\n  petstore:\n    cmd: uvx\n    args:\n    - petstore-mcp@1.2.0\n",
    "codex": b"[mcp_servers.petstore]\ncommand = 'C:\\bin\\petstore-mcp.exe'\n",
    "opencode": b'{"mcp": {"petstore": {"type": "local", "command": ["python","-m","petstore_mcp"]}}}',
}


@pytest.mark.parametrize("client", OURS)
def test_an_older_entry_of_this_server_is_brought_up_to_date(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(OURS[client])
    assert here.install()[0] == 0
    entry = servers(client, here.file.read_bytes())["petstore"]
    assert "petstore-mcp" in (entry.get("command"), entry.get("cmd"), *entry.get("command", ()))
    assert here.run("uninstall")[0] == 0
    assert servers(client, here.file.read_bytes()) == {}


def test_what_the_user_has_added_to_an_entry_stays(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(
        b'{"mcpServers": {"petstore": {"command": "petstore-mcp", "args": ["--read-only"], "disabled": true, "env": '
        b'{"PETSTORE_API_KEY": "typed-in-by-hand", "MORE": "1", "PETSTORE_TIMEOUT": "5"}}}}'
    )
    assert here.install(PETSTORE_TIMEOUT="9")[0] == 0
    assert servers("cursor", here.file.read_bytes())["petstore"] == {
        "command": "petstore-mcp",
        "args": [],
        "disabled": True,
        "env": {
            "PETSTORE_API_KEY": "typed-in-by-hand",
            "MORE": "1",
            "PETSTORE_TIMEOUT": "9",
            "PETSTORE_BEARER": "${env:PETSTORE_BEARER}",
        },
    }


def test_a_server_over_http_is_known_by_its_url(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b"{}")
    first = ("--http", "https://a.example/mcp")
    assert here.run("install", *first)[0] == 0
    assert here.run("install", *first)[1].startswith("petstore is already installed")
    (here.folder / ".cursor" / "mcp.json.petstore.bak").unlink()
    for command in ("install", "uninstall"):
        code, _, err = here.run(command, "--http", "https://b.example/mcp")
        assert code == 1
        assert "at another URL, https://a.example/mcp." in err
    assert here.run("uninstall", *first)[0] == 0
    assert servers("cursor", here.file.read_bytes()) == {}


@pytest.mark.parametrize("backup", [b"\xff\xfe", b"{", b"{}\n", b'{"mcpServers": {"petstore": {}}}'])
def test_a_backup_that_does_not_fit_is_not_used_and_goes(backup: bytes, home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b'{"a": 1}')
    here.install()
    (here.folder / ".cursor" / "mcp.json.petstore.bak").write_bytes(backup)
    assert here.run("uninstall")[0] == 0
    assert here.files() == {".cursor/mcp.json": b'{"a": 1}'}


def test_a_read_only_file_stays(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b"{}")
    here.file.chmod(0o444)
    code, _, err = here.install()
    assert code == 1
    assert err.startswith(f"{here.file} is read-only.")
    assert here.files() == {".cursor/mcp.json": b"{}"}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_the_mode_of_a_file_and_its_backup_stays(mode: int, home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b"{}")
    here.file.chmod(mode)
    here.install()
    for path in (here.file, here.file.with_name("mcp.json.petstore.bak")):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    here.run("uninstall")
    assert stat.S_IMODE(here.file.stat().st_mode) == mode


def test_a_new_file_is_its_users_alone_and_goes_again(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(None)
    assert here.install()[0] == 0
    assert stat.S_IMODE(here.file.stat().st_mode) == 0o600
    assert list(here.files()) == [".cursor/mcp.json"]
    assert here.run("uninstall")[0] == 0
    assert here.files() == {}


def test_a_client_that_is_not_here_is_not_invented(home: MakeHome) -> None:
    here = home("cursor")
    code, _, err = here.install()
    assert code == 1
    assert err.startswith(f"Cursor has no folder {here.file.parent} here. Start it once")
    assert not here.file.parent.exists()


def test_folders_below_that_of_the_client_are_made(home: MakeHome) -> None:
    here = home("kiro")
    (here.folder / ".kiro").mkdir()
    assert here.install()[0] == 0
    assert "petstore" in servers("kiro", here.file.read_bytes())


def test_a_folder_in_place_of_the_file(home: MakeHome) -> None:
    here = home("cursor")
    here.file.mkdir(parents=True)
    code, _, err = here.install()
    assert (code, err) == (1, f"{here.file} is no file.\n")


def test_a_link_of_the_user_is_followed_and_stays(home: MakeHome) -> None:
    """Follow a link that the user has made, as people do who store their settings in a repository.

    The link must stay.
    """
    here = home("cursor")
    here.fill(None)
    kept = here.folder / "dotfiles" / "mcp.json"
    kept.parent.mkdir()
    kept.write_bytes(b"{}")
    here.file.symlink_to(kept)
    assert here.install()[0] == 0
    assert here.file.is_symlink()
    assert "petstore" in servers("cursor", kept.read_bytes())
    assert here.run("uninstall")[0] == 0
    assert here.file.is_symlink()
    assert kept.read_bytes() == b"{}"
    assert list(kept.parent.iterdir()) == [kept]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give a link to another user")
def test_a_link_of_another_user_is_refused(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(None)
    kept = here.folder / "mcp.json"
    kept.write_bytes(b"{}")
    here.file.symlink_to(kept)
    os.chown(here.file, 4242, 4242, follow_symlinks=False)
    code, _, err = here.install()
    assert code == 1
    assert "is a link that another user has made" in err
    assert kept.read_bytes() == b"{}"


def test_a_link_to_nothing_is_refused(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(None)
    here.file.symlink_to(here.folder / "gone.json")
    code, _, err = here.install()
    assert code == 1
    assert "is a link to" in err


def test_a_link_out_of_a_project_is_refused(home: MakeHome, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Refuse a link that leads out of the project, because a cloned repository may hold any link."""
    here, outside = home("vscode"), tmp_path_factory.mktemp("outside")
    target = outside / "settings.json"
    target.write_bytes(b"{}")
    (here.folder / ".vscode").symlink_to(outside)
    (outside / "mcp.json").write_bytes(b"{}")
    code, _, err = here.install("--project")
    assert code == 1
    assert "leads out of the project" in err
    assert (outside / "mcp.json").read_bytes() == b"{}"


def test_a_file_that_another_program_has_just_changed_is_not_written(
    home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = home("cursor")
    here.fill(b"{}")
    real = config_file._replace

    def late(path: str, data: bytes, mode: int, like: str) -> None:
        real(path, data, mode, like)
        here.file.write_bytes(b'{"theirs": 1}')

    # `install` first writes the backup by `_replace`; then `late`, like another program, changes the client's file
    monkeypatch.setattr(config_file, "_replace", late)
    code, _, err = here.install()
    assert code == 1
    assert "was changed by another program" in err
    assert here.file.read_bytes() == b'{"theirs": 1}'


def test_a_write_that_fails_leaves_the_file_and_nothing_beside_it(
    home: MakeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = home("cursor")
    here.fill(b"{}")

    def full(source: str, target: str) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "replace", full)
    code, _, err = here.install()
    assert (code, err) == (1, f"{here.file} cannot be written: No space left on device. Nothing was changed.\n")
    assert here.files() == {".cursor/mcp.json": b"{}"}


@pytest.mark.parametrize("client", ["cursor", "codex", "goose"])
def test_a_path_that_is_not_utf8_is_refused(client: str, home: MakeHome) -> None:
    here = home(client)
    here.fill(None)
    code, _, err = here.install("--env", "PYTHONPATH=/pets/\udcff")
    assert code == 1
    assert "not UTF-8" in err
    assert here.files() == {}


def test_a_dry_run_shows_the_change_and_writes_nothing(home: MakeHome) -> None:
    here = home("cursor")
    before = b'{\n  "mcpServers": {\n    "a": {\n      "env": {"KEY": "of-somebody-else"}\n    }\n  }\n}\n'
    here.fill(before)
    code, out, _ = here.install("--dry-run")
    assert code == 0
    assert '+      "command": "petstore-mcp",' in out.splitlines()
    assert "of-somebody-else" not in out
    assert here.files() == {".cursor/mcp.json": before}
    out = here.install("--dry-run", "--write-secrets", "--env", "PETSTORE_TIMEOUT=5", "--env", "HTTP_PROXY=none")[1]
    assert '"HTTP_PROXY": "none"' in out
    here.install()
    assert '-      "command": "petstore-mcp",' in here.run("uninstall", "--dry-run")[1].splitlines()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--http", "ftp://a.example"), "must be a URL"),
        (("--http", "https://user:word@a.example/mcp"), "must not hold a user name"),
        (("--name", "a b"), "must be letters"),
        (("--env", "1A=x"), "must be the name of an environment variable"),
    ],
)
def test_a_wrong_flag_is_named(flags: tuple[str, ...], words: str, home: MakeHome) -> None:
    code, _, err = home("cursor").run("install", *flags)
    assert code == 2
    assert words in err


def test_a_misspelt_setting_is_named(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b"{}")
    code, _, err = here.install("--env", "PETSTORE_TIMEOUTS=5")
    assert code == 0
    assert "PETSTORE_TIMEOUTS is no setting of this server and does nothing. Did you mean PETSTORE_TIMEOUT?" in err


def test_a_client_without_urls_says_what_to_do(home: MakeHome) -> None:
    here = home("claude-desktop")
    here.fill(b"{}")
    code, _, err = here.run("install", "--http", "https://a.example/mcp")
    assert code == 1
    assert "Settings > Connectors" in err


def test_the_list_shows_every_client(home: MakeHome) -> None:
    here = home("cursor")
    here.fill(b"{}")
    here.install()
    (here.folder / ".codex").mkdir()
    (here.folder / ".codex" / "config.toml").write_text("a = b")
    _, out, _ = here.run("install", "--list")
    rows = {line.split()[0]: line for line in out.splitlines()}
    assert len(rows) == 14
    assert rows["cursor"].split()[:3] == ["cursor", "yes", "installed"]
    assert rows["kiro"].split()[:3] == ["kiro", "no", "no"]
    assert rows["claude-code"].split()[:3] == ["claude-code", "no", "no"]  # its file is in the home folder itself
    (here.folder / ".claude.json").write_text("{}")
    assert "claude-code     yes   no " in here.run("install", "--list")[1]
    assert "config.toml:1:5" in rows["codex"]
