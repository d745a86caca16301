"""List mutations that remove safety checks on the ways to the API that operators set."""

from __future__ import annotations

from tests.hostile.mutation import Mutation

ROUTES = ("tests/functional/test_routes.py",)
COMMANDS = ("tests/functional/test_secret_commands.py",)

OF_REACH = (
    Mutation(
        "programs that a command has started",
        "secret_commands.py",
        "os.killpg(process.pid, signal.SIGKILL)",
        "process.kill()",
        COMMANDS,
    ),
    Mutation("a command that prints a megabyte", "secret_commands.py", "len(pieces[0]) > _LONGEST", "False", COMMANDS),
    Mutation("stderr of a command", "secret_commands.py", "stderr=null", "stderr=None", COMMANDS),
    Mutation("a pause between refusals", "secret_commands.py", "self._clock() + PAUSE", "0.0", COMMANDS),
    Mutation("other hosts beside a unix socket", "routes.py", "if address.host == SOCKET_HOST:", "if True:", ROUTES),
    Mutation("a name that only ends like an exception", "proxies.py", 'endswith(f".{name}")', "endswith(name)", ROUTES),
    Mutation("names that a SOCKS proxy looks up", "routes.py", "rdns=True", "rdns=False", ROUTES),
)
