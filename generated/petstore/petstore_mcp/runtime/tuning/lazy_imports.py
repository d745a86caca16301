# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Lazy imports of modules that libraries import but do not need here: a proxy module loads the real module at its first
use.

For example, reading proxies from the environment imports all archive formats, and parsing a media type imports the
email package. Inside `deferred`, such a module is replaced by a proxy (stand-in). A name that was imported from the
proxy loads the real module when it is first used. So hooks can still use the whole library.

- Gain: an eighth of a server's memory and start time is saved.
- Risk: proxies are in `sys.modules` while the libraries are imported. An unexpected use loads the real module at once.
  A proxy cannot replace a class from which other classes derive at import time, so no such class is listed.
- Test: `tests/runtime/test_unasked.py`. `tests/runtime/test_tuning.py` checks that `MCPGEN_TUNING=0` disables this
  module.
"""

from __future__ import annotations

import sys
import typing
from _thread import RLock
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from . import ON

# Modules that proxies replace -> the names that libraries import from them by `from`, which get proxies as well.
# Reading any other name loads the real module. All listed names are functions, or classes from which no class derives
# at import time: a proxy cannot replace a base class.
_UNASKED = {
    "aiohttp.cookiejar": ("CookieJar", "DummyCookieJar", "_UnlimitedCookieJar"),
    "aiohttp.tracing": (
        *("Trace", "TraceConfig", "TraceConnectionCreateEndParams", "TraceConnectionCreateStartParams"),
        *("TraceConnectionQueuedEndParams", "TraceConnectionQueuedStartParams", "TraceConnectionReuseconnParams"),
        *("TraceDnsCacheHitParams", "TraceDnsCacheMissParams", "TraceDnsResolveHostEndParams"),
        *("TraceDnsResolveHostStartParams", "TraceRequestChunkSentParams", "TraceRequestEndParams"),
        *("TraceRequestExceptionParams", "TraceRequestHeadersSentParams", "TraceRequestRedirectParams"),
        *("TraceRequestStartParams", "TraceResponseChunkReceivedParams"),
    ),
    "attr.validators": (),
    "calendar": (),
    "email.parser": ("HeaderParser",),
    "email.policy": ("HTTP",),
    "hashlib": ("md5", "sha1", "sha256", "sha512"),
    "idna": (),
    "inspect": (),
    "mimetypes": (),
    "pathlib": ("Path",),
    "urllib.request": ("getproxies", "proxy_bypass"),
    "uuid": (),
}

#: Lock that is held while proxies are in `sys.modules`. Another thread must hold it to import libraries,
#: so that these get no proxies.
importing = RLock()

#: C extension of the package frozenlist. Its import is prevented: it would load the C++ runtime library, only to speed
#: up a few short lists. The package then uses its own implementation in Python.
_WITHOUT = "frozenlist._frozenlist"


class _LazyName:
    """Proxy for a function or class of a module. Its first use loads the module."""

    __slots__ = ("_module", "_name")

    def __init__(self, module: ModuleType, name: str) -> None:
        self._module = module
        self._name = name

    def _there(self) -> Any:
        return getattr(_real(self._module), self._name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._there()(*given, **named)

    def __getattr__(self, name: str) -> Any:
        # `copy` reads these attributes before they are set; `_there` would then call this method again without end.
        if name in _LazyName.__slots__:
            raise AttributeError(name)
        return getattr(self._there(), name)

    def __reduce__(self) -> str:
        return self._name  # so `copy` returns this same object, as it does for a real function or class

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, self._there())

    def __subclasscheck__(self, kind: type) -> bool:
        return issubclass(kind, self._there())

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[Any]:
        return (self._there(),)

    def __or__(self, other: Any) -> Any:
        return self._there() | other

    def __ror__(self, other: Any) -> Any:
        return other | self._there()


class _StandIn(ModuleType):
    """Proxy for a module, which loads the real module when an attribute is read that the proxy does not have."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system reads names such as `__path__`, which must not load the module
            raise AttributeError(name)
        return getattr(_real(self), name)


def _real(stand_in: ModuleType) -> ModuleType:
    name = stand_in.__name__
    if sys.modules.get(name) is stand_in:
        del sys.modules[name]
    return import_module(name)


def _stand_in(name: str, taken: tuple[str, ...]) -> _StandIn:
    made = _StandIn(name)
    for each in taken:
        setattr(made, each, _LazyName(made, each))
    return made


def _newer_typing() -> _StandIn:
    """Return a replacement for `typing_extensions`. Before Python 3.13, libraries import it for type variables with
    defaults.

    Only type checkers read these defaults, so the type variables are created without defaults.
    """
    made = _StandIn("typing_extensions")
    for kind in ("TypeVar", "TypeVarTuple"):
        setattr(made, kind, _without_default(getattr(typing, kind)))
    return made


def _without_default(kind: Any) -> Any:
    def variable(*given: Any, default: object = None, **named: Any) -> Any:
        return kind(*given, **named)

    return variable


# After one call, a server with these stand-ins takes an eighth less memory (docs/decisions/speed.md).
@contextmanager
def deferred() -> Iterator[None]:
    """Replace the modules in `_UNASKED` by proxies inside a `with` block.

    Modules that are already loaded are not replaced.
    """
    if not ON:
        yield
        return
    with importing:
        yield from _replaced()


def _replaced() -> Iterator[None]:
    stand_ins: dict[str, Any] = {name: _stand_in(name, taken) for name, taken in _UNASKED.items()}
    stand_ins["typing_extensions"] = _newer_typing()
    stand_ins[_WITHOUT] = None  # None makes an import of the C extension raise ImportError
    put = {name: made for name, made in stand_ins.items() if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, made in put.items():
            if sys.modules.get(name, put) is made:
                del sys.modules[name]
