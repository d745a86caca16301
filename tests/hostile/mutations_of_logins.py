"""List mutations that remove safety checks of a login: the port that waits for the browser, the authorization server's
responses, and the stored tokens.
"""

from __future__ import annotations

from tests.hostile.mutation import Mutation

ATTACKS, STORE = "tests/login/test_attacks.py", "tests/login/test_store.py"
RENEWAL, DEVICE = "tests/login/test_renewal.py", "tests/login/test_device.py"
ELICITATION = "tests/login/test_elicitation.py"

SESSIONS = ("tests/functional/test_sessions.py",)

OF_LOGINS = (
    Mutation("a cookie of another path", "login_request.py", "is_ours and value and age", "value and age", SESSIONS),
    Mutation("a session at another origin", "credentials.py", "if login.is_session and", "if False and", SESSIONS),
    Mutation("a CSRF value that results show", "tokens.py", 'token.split("\\n")', "[token]", SESSIONS),
    Mutation(
        "the state of a login",
        "loopback.py",
        "hmac.compare_digest(state.encode(), self._state)",
        "True",
        (ATTACKS,),
    ),
    Mutation("the path of the answer", "loopback.py", "if path != PATH or hosts", "if hosts", (ATTACKS,)),
    Mutation(
        "the Host of the answer",
        "loopback.py",
        'path != PATH or hosts != [f"{HOST}:{self.port}"]',
        "path != PATH",
        (ATTACKS,),
    ),
    Mutation("parameters given twice", "loopback.py", "len({*names}) < len(names)", "False", (ATTACKS,)),
    Mutation(
        "another machine at the port", "loopback.py", 'HOST, PATH = "127.0.0.1"', 'HOST, PATH = "0.0.0.0"', (ATTACKS,)
    ),
    Mutation(
        "the issuer of the answer",
        "browser.py",
        '        self._check_issuer(found.get("iss"))\n',
        "",
        (ATTACKS,),
    ),
    Mutation(
        "an issuer that is left out",
        "browser.py",
        "if issuer is None or (known",
        "if issuer is not None and (known",
        (ATTACKS,),
    ),
    Mutation(
        "an error beside a code",
        "browser.py",
        'if "error" in found:',
        'if "error" in found and not found.get("code"):',
        (ATTACKS,),
    ),
    Mutation("markup in the page", "loopback.py", "<h1>{html.escape(title)}</h1>", "<h1>{title}</h1>", (ATTACKS,)),
    Mutation(
        "redirects of an authorization server",
        "answers.py",
        "if 300 <= response.status < 400:",
        "if False:",
        (ATTACKS,),
    ),
    Mutation(
        "size of a token answer",
        "token_response.py",
        "if response.cut or len(response.content) > largest:",
        "if False:",
        (ATTACKS,),
    ),
    Mutation(
        "a token that no header can carry",
        "token_response.py",
        "or not fields.is_value(token):",
        "or False:",
        (ATTACKS,),
    ),
    Mutation(
        "a file of logins that others read", "token_store.py", "found.st_mode & 0o077", "found.st_mode & 0", (STORE,)
    ),
    Mutation(
        "a file of logins that is a link",
        "token_store.py",
        'os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)',
        "os.O_RDONLY",
        (STORE,),
    ),
    Mutation("size of a file of logins", "token_store.py", "> LARGEST:", "> LARGEST * 9:", (STORE,)),
    Mutation(
        "the lock of a refresh",
        "lock.py",
        "fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)",
        "pass",
        (STORE, RENEWAL),
    ),
    Mutation(
        "a successor that is stored", "renewal.py", "and successor != entry.refresh_token:", "and False:", (RENEWAL,)
    ),
    Mutation(
        "a refused refresh token",
        "renewal.py",
        "if _digest(entry.refresh_token) == self._refused:",
        "if False:",
        (RENEWAL,),
    ),
    Mutation("slow_down", "device.py", 'if answer.error == "slow_down":', 'if answer.error == "slow":', (DEVICE,)),
    Mutation(
        "a user who says no to a login",
        "user_logins.py",
        "            raise NotReady(_INSTEAD.get(str(said), str(needed)))",
        "            return",
        (ELICITATION,),
    ),
)
