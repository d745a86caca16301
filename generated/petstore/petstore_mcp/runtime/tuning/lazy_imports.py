# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Import unneeded modules of the libraries lazily: a stand-in loads the real module at its first use.

For example, reading proxies from the environment imports all archive formats, and parsing a media type imports the
email package. Inside `deferred` such a module is replaced by a stand-in. Names imported from the stand-in load the real
module at their first use. So hooks that use the library can use all of it.

- Figure: an eighth of a server's memory and start time.
- Risk: stand-ins lie in `sys.modules` while the libraries are imported. Any use not foreseen here loads the real module
  at once; a name that somebody derives from at import time would break, so only functions and classes are listed.
- Test: `tests/runtime/test_unasked.py`, and `tests/runtime/test_tuning.py` without it.
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

# Modules, and the names that others import from them; other names are looked up when used. Only functions and classes
# that nobody derives from at import time are listed, since only those can be replaced.
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

#: Held while stand-ins lie in `sys.modules`. A thread that imports other libraries meanwhile must hold it too.
importing = RLock()

#: An accelerator for lists of at most three items, which loads the C++ library. A Python fallback exists.
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
        if name in _LazyName.__slots__:  # happens on an instance that is being copied
            raise AttributeError(name)
        return getattr(self._there(), name)

    def __reduce__(self) -> str:
        return self._name  # copying a module's function or class gives the same object

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
    """Stand-in module that loads the real one when an unknown attribute is read."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # read by the import system
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
    """Return a replacement for `typing_extensions`, used for type variable defaults before Python 3.13.

    Only type checkers read these defaults, so the type variables are created without them.
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
    """Replace the listed modules by stand-ins inside a `with` block. Modules loaded before are left as they are."""
    if not ON:
        yield
        return
    with importing:
        yield from _replaced()


def _replaced() -> Iterator[None]:
    stand_ins: dict[str, Any] = {name: _stand_in(name, taken) for name, taken in _UNASKED.items()}
    stand_ins["typing_extensions"] = _newer_typing()
    stand_ins[_WITHOUT] = None  # None means to the import system that the module does not exist
    put = {name: made for name, made in stand_ins.items() if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, made in put.items():
            if sys.modules.get(name, put) is made:
                del sys.modules[name]
