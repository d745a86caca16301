"""List mutations that remove safety checks of `install` and `uninstall`: which entries of a client's configuration are
changed, what is written, and where.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

REFUSALS, ENTRIES = "tests/install/test_refusals.py", "tests/install/test_entries.py"
CONFIGURATIONS = "tests/install/test_configurations.py"

OF_INSTALL = (
    Mutation(
        "an entry of another server",
        "plan.py",
        "if entries.is_ours(entry, program, url):",
        "if isinstance(entry, dict):",
        (REFUSALS,),
    ),
    Mutation(
        "a secret that is given with --env",
        "install_commands.py",
        "elif name in entries.secret_names(catalog) and not given.write_secrets:",
        "elif False:",
        (ENTRIES,),
    ),
    Mutation(
        "secrets that were not asked for",
        "install_commands.py",
        "    if given.write_secrets:\n        written = {",
        "    if True:\n        written = {",
        (ENTRIES,),
    ),
    Mutation(
        "settings that hold a password",
        "install_commands.py",
        "    if loaded.problems:\n",
        "    if False:\n",
        (ENTRIES,),
    ),
    Mutation(
        "the backup after an uninstall",
        "plan.py",
        "self._file.encode(self._without(name)), obsolete=backup)",
        "self._file.encode(self._without(name)))",
        (ENTRIES, REFUSALS),
    ),
    Mutation(
        "secrets of others in what is shown",
        "install_commands.py",
        "            text = text.replace(each, _HIDDEN)",
        "            pass",
        (REFUSALS,),
    ),
    Mutation(
        "what a user has filled in",
        "plan.py",
        "(name in server.values or server.bearer)",
        "True",
        (REFUSALS,),
    ),
    Mutation(
        "a link of another user",
        "config_file.py",
        "status.st_uid not in (0, os.geteuid()) or ",
        "",
        (REFUSALS,),
    ),
    Mutation(
        "a link out of a project",
        "config_file.py",
        "if os.path.commonpath([root, real]) != root:",
        "if False:",
        (REFUSALS,),
    ),
    Mutation(
        "a file that was changed meanwhile",
        "config_file.py",
        "if content(file.path) != file.data:",
        "if False:",
        (REFUSALS,),
    ),
    Mutation("a read-only file", "config_file.py", "file.mode & _WRITABLE and ", "", (REFUSALS,)),
    Mutation(
        "the mode of a new file",
        "install_commands.py",
        "0o666 & ~umask if given.project and not holds_secrets else 0o600",
        "0o666 & ~umask",
        (REFUSALS,),
    ),
    Mutation("a member that stands twice", "jsonc_edit.py", "    if twice:\n", "    if False:\n", (REFUSALS,)),
    Mutation("depth of configuration", "jsonc_edit.py", "if depth > DEEPEST:", "if False:", (REFUSALS,)),
    Mutation(
        "a user name in a URL",
        "install_commands.py",
        "if parts.username is not None or parts.password is not None:",
        "if False:",
        (REFUSALS,),
    ),
    Mutation(
        "a backup that does not fit any more",
        "plan.py",
        "if before is not None and self._leads_back(config_file.decode(backup, before), name):",
        "if before is not None:",
        (ENTRIES, REFUSALS),
    ),
)
