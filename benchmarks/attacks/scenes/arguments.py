"""Attacks by arguments that a model sends."""

from __future__ import annotations

from benchmarks.attacks.scenes.verdicts import SECRET, Verdict, said
from benchmarks.attacks.subjects import Session, Subject
from benchmarks.attacks.upstream import Upstream, serving


def empty_path(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("delete_item", {"id": ""})
        return said((bool(api.requests), f"sent {_first(api)}"), otherwise="refused, nothing sent")


def traversal(subject: Subject) -> Verdict:
    values = ("..", "../admin", "%2e%2e", "a/../../admin", "..\\admin")
    with serving() as api, subject.running(api.url, SECRET) as server:
        for value in values:
            server.call("get_item", {"id": value})
        out = [target for target in api.targets() if target.count("/") != 2 or target.split("/")[2] in ("..", "%2e%2e")]
        return said((bool(out), f"sent {', '.join(out)}"), otherwise="one encoded segment, or refused")


def unknown_argument(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        called = server.call("list_items", {"qq": "shoes"})
        return said(
            (bool(api.requests), "dropped in silence, everything listed"),
            (not called.refused, "no error"),
            otherwise="refused, the right name offered" if "q" in called.text else "refused",
        )


def credential_header(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("get_report", {"Authorization": "Bearer of-the-model"})
        sent = b"".join(api.requests)
        return said((b"of-the-model" in sent, "the model's value was sent"), otherwise="not an argument")


def host_header(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        server.call("get_report", {"Host": "evil.example"})
        sent = b"".join(api.requests)
        with_secret = " with the real credential" if SECRET.encode() in sent else ""
        return said((b"evil.example" in sent, f"sent{with_secret}"), otherwise="not an argument")


def header_injection(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        called = server.call("get_report", {_named(server, "get_report", "note"): "a\r\nX-Evil: 1"})
        sent = b"".join(api.requests)
        return said(
            (b"\nX-Evil" in sent, "a second header was sent"),
            (not called.refused, "no error"),
            (not _names_argument(called.text), f"the model reads: {called.text[:60]!r}"),
            otherwise="refused, the argument named",
        )


def cookie_injection(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        name = _named(server, "get_basket", "sid")
        if not name:
            return Verdict(False, "the cookie is no argument at all")
        server.call("get_basket", {name: "a; admin=1"})
        return said((b"; admin=1" in b"".join(api.requests), "a second cookie was sent"), otherwise="kept as one")


def nothing_required(subject: Subject) -> Verdict:
    with serving() as api, subject.running(api.url, SECRET) as server:
        called = server.call("create_order", {})
        return said(
            (bool(api.requests), "an empty order was placed"), otherwise="refused" if called.refused else "none"
        )


def _first(api: Upstream) -> str:
    return api.targets()[0] if api.requests else ""


def _named(server: Session, tool: str, part: str) -> str:
    """Return the name of the tool's first argument whose name contains `part`."""
    properties = server.tools()[tool]["inputSchema"].get("properties", {})
    return next((name for name in properties if part in name.lower()), "")


def _names_argument(text: str) -> bool:
    return "note" in text.lower()
