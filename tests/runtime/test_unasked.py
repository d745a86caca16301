"""Test lazy imports: modules that libraries import, but calls do not need, are loaded only if something uses them."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from package.runtime.tuning import lazy_imports

TEMPLATES = Path(__file__).parents[2] / "templates"
NAMES = [*lazy_imports._UNASKED, "typing_extensions"]
ENGINE = """
import sys, threading
from package.runtime.serve.engine import Engine
met = threading.Event()
def load():
    import package.runtime.http.client
    met.set()
Engine(load)
assert met.wait(60)
"""


def run(program: str, **environ: str) -> str:
    """Run a program in a new Python process that has loaded the HTTP client as a server does before its first call, and
    return its output.
    """
    variables = {**os.environ, "PYTHONPATH": str(TEMPLATES), **environ}
    command = [sys.executable, "-c", ENGINE + program]
    return subprocess.run(command, env=variables, check=True, capture_output=True, text=True).stdout.strip()


def test_an_engine_and_its_client_load_none_of_it() -> None:
    rare = ["ast", "dis", "email.headerregistry", "http.client", "tempfile", "_hashlib"]
    names = [*NAMES, *rare, lazy_imports._WITHOUT]
    assert run(f"print([name for name in {names} if name in sys.modules])") == "[]"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("helpers.proxies_from_env()['http'].proxy", "http://p.example:1"),
        ("helpers.parse_content_type('text/html; charset=utf-8')[1]['charset']", "utf-8"),
        ("helpers.guess_filename(open('/dev/null'))", "null"),
        ("helpers.netrc_from_env()", "None"),
        ("connections.URL('http://b\\u00fccher.example/').raw_host", "xn--bcher-kva.example"),
        ("connections.URL('http://xn--bcher-kva.example/', encoded=True).host", "b\u00fccher.example"),
        ("len(aiohttp.MultipartWriter().boundary)", "32"),
        ("aiohttp.payload.StringPayload('', filename='a.png').content_type", "text/plain; charset=utf-8"),
        ("aiohttp.payload.BytesPayload(b'', filename='a.png').content_type", "application/octet-stream"),
        ("aiohttp.payload.IOBasePayload(open('/dev/null'), filename='a.png').content_type", "image/png"),
        ("len(aiohttp.Fingerprint(bytes(32)).fingerprint)", "32"),
        ("aiohttp.client_middleware_digest_auth.DigestFunctions['SHA-256'](b'').hexdigest()[:8]", "e3b0c442"),
        ("aiohttp.client.attr.validators.instance_of(int).type", "<class 'int'>"),
        ("asyncio.iscoroutinefunction(asyncio.sleep)", "True"),
        ("list(aiohttp.TraceConfig().on_request_start)", "[]"),
        ("aiohttp.ClientWebSocketResponse[bool].__args__", "(<class 'bool'>,)"),
    ],
)  # fmt: skip
def test_whoever_asks_for_it_has_it(asked: str, told: str) -> None:
    imports = (
        "import asyncio, aiohttp\nfrom aiohttp import helpers\nfrom package.runtime.http import client, connections\n"
    )
    program = f"{imports}print({asked})"
    environ = {"http_proxy": "http://p.example:1", "NETRC": "/dev/null/none", "PYTHONIOENCODING": "utf-8"}
    assert run(program, **environ) == told


def test_a_fingerprint_of_a_weak_kind_is_still_refused() -> None:
    program = (
        "import aiohttp\ntry:\n    aiohttp.Fingerprint(bytes(20))\nexcept ValueError as problem:\n    print(problem)"
    )
    assert run(program) == "md5 and sha1 are insecure and not supported. Use sha256."


def test_what_is_imported_later_is_the_module_itself() -> None:
    program = f"from importlib import import_module\nprint([n for n in {NAMES} if not import_module(n).__file__])"
    assert run(program) == "[]"


def test_what_was_there_before_stays_and_is_what_others_get() -> None:
    import uuid

    with lazy_imports.deferred():
        assert sys.modules["uuid"] is uuid
    assert sys.modules["uuid"] is uuid


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """Yield a proxy for a module, which loads the real module when it is first used.

    The module's class `Taken` has a proxy, too: `_UNASKED` lists it as a name that libraries import. The class `Other`
    is not listed.
    """
    (tmp_path / "sample.py").write_text("class Taken(dict):\n    pass\nclass Other:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(lazy_imports._UNASKED, "sample", ("Taken",))
    with lazy_imports.deferred():
        made = import_module("sample")
    assert "sample" not in sys.modules
    yield made
    sys.modules.pop("sample", None)


def test_a_name_that_was_taken_does_what_the_real_one_does(sample: Any) -> None:
    taken = sample.Taken
    assert "sample" not in sys.modules
    value = taken(a=1)
    real = sys.modules["sample"].Taken
    assert taken is not real
    assert (type(value), value) == (real, {"a": 1})
    assert taken.fromkeys("b") == {"b": None}
    assert isinstance(value, taken)
    assert not isinstance({}, taken)
    assert (taken | None, None | taken) == (real | None, None | real)
    assert types.new_class("Derived", (taken,)).__mro__[1] is real


def test_what_is_asked_of_a_class_is_said_of_the_real_one(sample: Any) -> None:
    taken = sample.Taken
    assert copy.copy(taken) is copy.deepcopy(taken) is taken
    assert issubclass(type(taken()), taken)
    assert not issubclass(int, taken)


def test_a_name_that_was_not_foreseen_is_the_real_one_at_once(sample: Any) -> None:
    other = sample.Other
    assert other is sys.modules["sample"].Other
    with pytest.raises(AttributeError):
        sample.Nothing  # noqa: B018


def test_the_real_one_is_loaded_even_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    import mimetypes as real

    monkeypatch.delitem(sys.modules, "mimetypes")
    with lazy_imports.deferred():
        import mimetypes

        assert type(mimetypes) is lazy_imports._StandIn
        assert mimetypes.guess_type("a.png") == real.guess_type("a.png")
        assert type(sys.modules["mimetypes"]) is types.ModuleType
    assert type(sys.modules["mimetypes"]) is types.ModuleType


def test_nothing_stays_of_an_import_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "uuid", raising=False)
    with pytest.raises(ImportError), lazy_imports.deferred():
        raise ImportError
    assert "uuid" not in sys.modules
    assert sys.modules.get(lazy_imports._WITHOUT, lazy_imports) is not None
