# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""What the libraries import and no call of ours asks them for: loaded by whoever does.

It is an eighth of what a server holds after its first call, and of the time until then: the way to find proxies in the
environment brings every way to pack files with it, the way to take a media type apart all the grammar of mail. While
inside `deferred`, such a module is a stand-in, and what was taken from it loads the real one at its first use: hooks
that use the library have all of it. Anything that is not foreseen here loads the real one at once.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

# Modules, and what is taken from them by those who import them; the rest is looked up when it is used. Only functions
# and classes that nobody derives from there, since these can be stood in for.
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

#: An accelerator of lists with three items at most, which brings the C++ library with it. They have another in Python.
_WITHOUT = "frozenlist._frozenlist"


class _Later:
    """What a module has under that name, loaded when it is used."""

    __slots__ = ("_module", "_name")

    def __init__(self, module: ModuleType, name: str) -> None:
        self._module = module
        self._name = name

    def _there(self) -> Any:
        return getattr(_real(self._module), self._name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._there()(*given, **named)

    def __getattr__(self, name: str) -> Any:
        if name in _Later.__slots__:  # of one that is being copied
            raise AttributeError(name)
        return getattr(self._there(), name)

    def __reduce__(self) -> str:
        return self._name  # a copy of what a module has is that itself

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
    """A module that is loaded when it is asked for anything but what it has."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the import system looks for
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
        setattr(made, each, _Later(made, each))
    return made


def _newer_typing() -> _StandIn:
    """`typing_extensions`, of which Pythons before 3.13 need the defaults of type variables. Type checkers alone read
    them, so the variables are made without.
    """
    made = _StandIn("typing_extensions")
    for kind in ("TypeVar", "TypeVarTuple"):
        setattr(made, kind, _without_default(getattr(typing, kind)))
    return made


def _without_default(kind: Any) -> Any:
    def variable(*given: Any, default: object = None, **named: Any) -> Any:
        return kind(*given, **named)

    return variable


# Decision 0153: Unused modules of libraries are left out.
@contextmanager
def deferred() -> Iterator[None]:
    """While inside, importing those modules gives stand-ins, but for what had been loaded before."""
    stand_ins: dict[str, Any] = {name: _stand_in(name, taken) for name, taken in _UNASKED.items()}
    stand_ins["typing_extensions"] = _newer_typing()
    stand_ins[_WITHOUT] = None  # as the import system has it of what is not there
    put = {name: made for name, made in stand_ins.items() if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name, made in put.items():
            if sys.modules.get(name, put) is made:
                del sys.modules[name]
