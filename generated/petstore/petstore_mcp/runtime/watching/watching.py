# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Say which resources clients can watch for changes: those that are polled, and those whose content resources.json
holds. No I/O.
"""

from __future__ import annotations

from ..core.effects import Fetch, Fetched, Origin
from ..core.notification_settings import MOST_URIS
from ..core.wire_formats import Contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.features import Features

_UNWATCHED = "This resource is read when a client asks, and not watched for changes."


def refusal(features: Features, uri: str) -> str | None:
    """Return why clients cannot watch the resource at `uri`. Return "" if there is no such resource, and None if
    clients can watch it.
    """
    found = features.find(uri)
    if isinstance(found, Contents):
        return None if found.contents else ""
    if found is None:
        return ""
    return None if _is_polled(features, found) else _UNWATCHED


def honoured(features: Features, uris: object) -> tuple[str, ...]:
    """Return those of the `uris` that clients can watch for changes: without repetition, at most MOST_URIS."""
    wanted = [uri for uri in uris if isinstance(uri, str)] if isinstance(uris, list) else []
    known = (uri for uri in dict.fromkeys(wanted) if refusal(features, uri) is None)
    return tuple(uri for uri, _ in zip(known, range(MOST_URIS), strict=False))


def polled(features: Features, uris: Iterable[str], revision: str) -> dict[str, Fetch]:
    """Return a dict from URI to the request that fetches the resource, for those of the `uris` that are polled."""
    found = ((uri, features.find(uri)) for uri in uris)
    return {
        uri: Fetch(uri, each.entry, each.variables, revision, Origin())
        for uri, each in found
        if isinstance(each, Fetched) and _is_polled(features, each)
    }


def changed(before: Features, now: Features, uris: Iterable[str]) -> list[str]:
    """Return those of the `uris` whose resource differs between two versions of the server: in its stored contents, or
    in its entry in resources.json, which says how to fetch the contents.
    """
    return [uri for uri in uris if _held(before, uri) != _held(now, uri)]


def _is_polled(features: Features, found: Fetched) -> bool:
    return features.polls and "poll" in found.entry


def _held(features: Features, uri: str) -> object:
    found = features.find(uri)
    return found.contents if isinstance(found, Contents) else found and (found.entry, found.variables)
