# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Import modules lazily that the libraries do not need here: a stand-in loads the real module at its first use.

For example, reading proxies from the environment imports all archive formats, and parsing a media type imports the
email package. Inside `deferred`, such a module is replaced by a stand-in. A name imported from the stand-in loads the
real module at its first use. So hooks that use the library can use all of it.

- Gain: an eighth of a server's memory and start time is saved.
- Risk: stand-ins are in `sys.modules` while the libraries are imported. A use that was not foreseen loads the real
  module at once. A class that another class derives from at import time would fail, so no such class is listed.
- Test: `tests/runtime/test_unasked.py`, and `tests/runtime/test_tuning.py` without this trick.
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

# Modules, with the names that others import from them. Other names are looked up when used. Only functions, and classes
# from which no class derives at import time, are listed, since only these can be replaced.
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

#: Lock that is held while stand-ins are in `sys.modules`. A thread that imports other libraries meanwhile must hold it
#: too.
importing = RLock()

#: C extension for lists of at most three items, which loads the C++ library. A Python fallback exists.
_WITHOUT = "frozenlist._frozenlist"


class _LazyName:
    """Proxy for one name of a module, which loads the module at its first use."""

    __slots__ = ("_module", "_name")

    def __init__(self, module: ModuleType, name: str) -> None:
        self._module = module
        self._name = name

    def _there(self) -> Any:
        return getattr(_real(self._module), self._name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._there()(*given, **named)

    def __getattr__(self, name: str) -> Any:
        if name in _LazyName.__slots__:  # read while an instance is copied, before it is set
            raise AttributeError(name)
        return getattr(self._there(), name)

    def __reduce__(self) -> str:
        return self._name  # a copy of a module's function or class is the same object

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
    """Stand-in for a module, which loads the real module when an unknown attribute is read."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system reads such attributes
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
    """Return a replacement for `typing_extensions`, which libraries use for type variable defaults before Python 3.13.

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


# Decision 0153: Unused modules of libraries are replaced by stand-ins.
@contextmanager
def deferred() -> Iterator[None]:
    """Replace the listed modules by stand-ins inside a `with` block.

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
    stand_ins[_WITHOUT] = None  # None tells the import system that the module does not exist
    put = {name: made for name, made in stand_ins.items() if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, made in put.items():
            if sys.modules.get(name, put) is made:
                del sys.modules[name]
