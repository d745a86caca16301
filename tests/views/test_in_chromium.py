"""Test the application in a browser, inside of a host with the extension's official bridge: it shows lists, items and
changes, calls tools through the host alone, and shows what attacks as text.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mcpgen.base.jsonvalue import as_object
from mcpgen.model.options import Options
from mcpgen.pipeline import compile_source
from mcpgen.read import fetch
from tests.corpus.test_corpus import CORPUS, DOCUMENTS, Entry
from tests.page.pages import Run
from tests.page.test_browser import ATTACKS, CONTRAST, HANDLERS
from tests.views import awkward
from tests.views.answers import Answers
from tests.views.host import CAN, Host, refuse
from tests.views.results import CHANGE, INVOICE, INVOICES, REMOVAL, TOOLS, info, invoices, result, told

pytestmark = pytest.mark.slow

STRANGERS = """
[...document.querySelectorAll("img:not([src^='data:']), iframe, object, embed, link, base, svg, form, audio, video")]
  .map((each) => each.localName)
"""
TARGETS = "[...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href'))"
ROWS = "[...document.querySelectorAll('tbody tr')].map((row) => row.firstElementChild.textContent)"
CLICK = "[...document.querySelectorAll('button, summary')].find((each) => each.textContent === {!r}).click()"
TEXT = "document.body.innerText"
FOUND = """
axe.run(document, {{ resultTypes: ["violations"] }}).then(({{ violations }}) =>
  violations.map((each) => [each.id, each.nodes[0].html.slice(0, 200), each.nodes[0].failureSummary]))
"""


async def served(params: Any) -> Any:
    """Answer a call as the server of the invoices does."""
    name, given = params["name"], params["arguments"]
    if name == "list_invoices":
        page = given.get("page", 1)
        notes = ['Next page: page=3, status="paid"'] if page == 2 else []
        return result({"data": invoices(3, first=page * 10)}, INVOICES, *notes)
    if name == "get_invoice":
        return result(invoices(1, first=2)[0], INVOICE)
    return result({**invoices(1, first=2)[0], **given}, CHANGE)


async def described(params: Any) -> Any:
    """Answer `resources/read` as the server of the invoices does."""
    uri = params["uri"]
    text = json.dumps(TOOLS[uri.removeprefix("ui://views/")])
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}


LIST = (result({"data": invoices()}, INVOICES, "Next page: page=2"), {"page": 1}, INVOICES)
SCENES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "a list": LIST,
    "an item": (result(invoices(1)[0], INVOICE, 'ETag: "abc"'), {"id": "in_0"}, INVOICE),
    "a change": (None, {"invoice_id": "in_2", "status": "paid", "amount": 12.5}, CHANGE),
    "a removal": (None, {"invoice_id": "in_2"}, REMOVAL),
    "a failure": (result("status must be one of paid, void.", CHANGE, failed=True), {"invoice_id": "in_2"}, CHANGE),
    "an empty list": (result({"data": []}, INVOICES), {}, INVOICES),
    "a text": (result("Done (204 No Content).", REMOVAL), {"invoice_id": "in_2"}, REMOVAL),
    "names": (result(["a", "b"], {**INVOICES, "items": "", "columns": []}), {}, INVOICES),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_each_scene_can_be_used_and_read(chromium: tuple[Run, Host], packages: Path, width: int, scheme: str) -> None:
    """Check with axe, the contrast of texts (WCAG 2.2, 1.4.3), and that nothing is wider than the frame."""
    run, host = chromium
    axe = (packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    host.call, host.read = served, described

    async def scene() -> None:
        for name, (outcome, given, tool) in SCENES.items():
            await host.open(width, scheme)
            await host.play(outcome, given, theme=scheme, toolInfo=info(tool))
            await host.inside("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            await host.drawn()
            await host.inside(axe)
            assert await host.inside(FOUND.format()) == [], (name, width, scheme)
            assert await host.inside(CONTRAST) == [], (name, width, scheme)
            assert await host.inside("document.documentElement.scrollWidth") <= width, name
            ground = await host.inside("getComputedStyle(document.documentElement).backgroundColor")
            assert (max(map(int, ground[4:-1].split(",")[:3])) < 60) == (scheme == "dark")
            await host.assert_quiet()
        await host.inside("document.body.append(document.createElement('input'))")
        assert "label" in {each[0] for each in await host.inside(FOUND.format())}, "axe notices a field without a name"

    run(scene())


def test_a_list_is_sorted_filtered_turned_and_opened(chromium: tuple[Run, Host]) -> None:
    run, host = chromium
    host.call, host.read = served, described

    async def scene() -> None:
        await host.open(1200)
        await host.play(*LIST[:2], toolInfo=info(INVOICES))
        names = [each["number"] for each in invoices()]
        assert await host.inside(ROWS) == names
        text = await host.inside(TEXT)
        assert "Jan 11, 2026, 12:30 AM" in text, "times are shown in the zone of the user"
        assert "Jan 20, 2026" in text, "a day has no zone"
        assert "\u20ac0.50" in text
        await host.inside(CLICK.format("Amount"))
        await host.inside(CLICK.format("Amount"))
        amounts = sorted(invoices(), key=lambda each: -each["amount"])
        assert await host.inside(ROWS) == [each["number"] for each in amounts]
        assert await host.inside("document.querySelector('[aria-sort=descending]').textContent") == "Amount"
        await host.inside("document.querySelector('input[type=search]').focus()")
        await host.page.type("li wei")
        expected = {each["number"] for each in invoices() if each["customer"]["name"] == "Li Wei"}
        assert {*await host.inside(ROWS)} == expected
        await host.inside(CLICK.format("Next page"))
        await host.until("document.body.innerText.includes('on page 2')", inside=True)
        await host.inside(CLICK.format("Next page"))
        await host.until("document.body.innerText.includes('on page 3')", inside=True)
        assert await host.page.run("called") == [
            {"name": "list_invoices", "arguments": {"page": 2}},
            {"name": "list_invoices", "arguments": {"page": 3, "status": "paid"}},
        ]
        await host.inside(CLICK.format("Previous page"))
        await host.drawn()
        assert (await host.inside(ROWS))[0] == "INV-1020"
        await host.inside(CLICK.format("INV-1021"))
        await host.drawn()
        assert "A second line." in await host.inside("document.body.textContent")
        await host.inside(CLICK.format("Ask about this"))
        await host.drawn()
        [message] = await host.page.run("told")
        assert message["content"][0]["text"] == (
            "Tell me more about the item with the id in_21 in the result of list_invoices."
        )
        await host.inside("document.querySelector('a[href]').click()")
        await host.drawn()
        assert await host.page.run("opened") == [invoices(1, first=21)[0]["page"]]
        sizes = await host.page.run("sizes")
        assert sizes[-1]["height"] == await host.inside(
            "Math.ceil(document.documentElement.getBoundingClientRect().height)"
        )
        await host.assert_quiet()

    run(scene())


def test_a_change_is_shown_before_it_is_sent(chromium: tuple[Run, Host]) -> None:
    run, host = chromium
    host.call, host.read = served, described

    async def scene() -> None:
        await host.open(1200)
        before = invoices(1, first=2)[0]
        await host.play(result(before, CHANGE), {"invoice_id": "in_2", "status": "paid"}, toolInfo=info(CHANGE))
        await host.inside(CLICK.format("Arguments"))
        await host.inside("[...document.querySelectorAll('select')][0].value = ''")
        await host.inside(CLICK.format("Review"))
        assert "status is required." in await host.inside(TEXT)
        await host.inside("[...document.querySelectorAll('select')][0].value = '1'")
        await host.inside(CLICK.format("Review"))
        await host.until("document.body.innerText.includes('This will change')", inside=True)
        panel = await host.inside("[...document.querySelectorAll('.changes')].at(-1).innerText")
        assert "overdue" in panel
        assert "void" in panel
        called = [each["name"] for each in await host.page.run("called")]
        assert "update_invoice" not in called
        await host.inside(CLICK.format("Call update_invoice"))
        await host.until("document.body.innerText.includes('Done.')", inside=True)
        assert (await host.page.run("called"))[-1] == {
            "name": "update_invoice",
            "arguments": {"invoice_id": "in_2", "status": "void"},
        }
        [learned] = await host.page.run("context")
        assert learned["content"][0]["text"].startswith("In the view, the user called update_invoice with ")
        await host.assert_quiet()

    run(scene())


def test_keys_are_enough(chromium: tuple[Run, Host]) -> None:
    run, host = chromium
    host.call, host.read = served, described

    async def scene() -> None:
        await host.open(1200)
        await host.play(*LIST[:2], toolInfo=info(INVOICES))
        await host.page.run("document.querySelector('iframe').focus()")
        seen = []
        for _ in range(60):
            await host.page.press("Tab")
            seen.append(await host.inside("document.activeElement.textContent || document.activeElement.localName"))
        assert {"Number", "Amount", "INV-1000", "Next page", "Change the arguments", "input"} <= {*seen}

    run(scene())


def test_a_host_that_can_nothing_sees_the_result(chromium: tuple[Run, Host]) -> None:
    """Check a host that tells nothing of the tool, opens no links and lets no view call tools."""
    run, host = chromium

    async def scene() -> None:
        await host.open(1200)
        await host.play(*LIST[:2], can={})
        assert len(await host.inside(ROWS)) == 12
        assert await host.inside(TARGETS) == []
        assert "Next page" not in await host.inside(TEXT)
        await host.play(result({"data": invoices()}), {})
        assert len(await host.inside(ROWS)) == 12, "without a view of the server, the answer is enough"
        assert await host.page.run("called") == []
        await host.page.run("bridge.setHostContext({ theme: 'dark' })")
        await host.drawn()
        assert await host.inside("document.documentElement.style.colorScheme") == "dark"
        await host.assert_quiet()

    run(scene())


@pytest.mark.parametrize("name", awkward.CASES)
def test_awkward_values_are_shown(chromium: tuple[Run, Host], packages: Path, name: str) -> None:
    run, host = chromium
    axe = (packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    value, view, shows, lacks = awkward.CASES[name]
    host.call = host.read = refuse

    async def scene() -> None:
        await host.open(360)
        await host.play(result(json.dumps(value), view), {}, toolInfo=info(view))
        await host.inside("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        await host.drawn()
        text = await host.inside(TEXT)
        assert [each for each in shows if each not in text] == []
        assert [each for each in lacks if each in text] == []
        assert await host.inside("document.documentElement.scrollWidth") <= 360
        assert await host.inside(STRANGERS) == []
        await host.inside(axe)
        assert await host.inside(FOUND.format()) == []
        await host.assert_quiet()

    run(scene())


def test_what_lies_deep_can_be_opened(chromium: tuple[Run, Host]) -> None:
    """Check the way to an object that no card shows, and the way back, which keeps what a person filtered."""
    run, host = chromium
    rows = [{"name": name, "in": {"deep": [[{"x": f"{name} inside"}]]}} for name in ("Ann", "Bob")]
    host.call = host.read = refuse

    async def scene() -> None:
        await host.open(1200)
        await host.play(result(rows, awkward.TABLE), {}, toolInfo=info(awkward.TABLE))
        await host.inside("document.querySelector('input[type=search]').focus()")
        await host.page.type("bob")
        assert await host.inside(ROWS) == ["Bob"]
        for label in ("Bob", "1 field"):
            await host.inside(CLICK.format(label))
            await host.drawn()
        assert "Bob inside" in await host.inside(TEXT)
        for label in ("Back", "Back to the list"):
            await host.inside(CLICK.format(label))
            await host.drawn()
        assert await host.inside(ROWS) == ["Bob"]
        assert await host.inside("document.activeElement.textContent") == "Bob"
        await host.inside("document.querySelector('input[type=search]').select()")
        await host.page.type("name")
        assert await host.inside(ROWS) == [], "the filter searches values, and not their names"
        await host.assert_quiet()

    run(scene())


def test_no_digit_is_lost_on_the_way_to_a_call(chromium: tuple[Run, Host]) -> None:
    run, host = chromium
    found = result({"data": invoices()}, INVOICES, "Next page: page=9007199254740993")

    async def answered(params: Any) -> Any:
        return found

    host.call, host.read = answered, refuse

    async def scene() -> None:
        await host.open(1200)
        await host.play(found, {}, toolInfo=info(INVOICES))
        await host.inside(CLICK.format("Next page"))
        await host.until("document.body.innerText.includes('on page 2')", inside=True)
        await host.inside("(document.querySelector('.form input').value = '9007199254740995')")
        await host.inside(CLICK.format("Call again"))
        await host.drawn()
        sent = [each["arguments"] for each in await host.page.run("called")]
        assert sent == [{"page": "9007199254740993"}, {"page": "9007199254740995"}]

    run(scene())


def test_arguments_of_a_call_that_fails_stay_in_the_form(chromium: tuple[Run, Host]) -> None:
    run, host = chromium

    async def failing(params: Any) -> Any:
        return result("Too many requests.", failed=True)

    host.call, host.read = failing, refuse

    async def scene() -> None:
        await host.open(1200)
        await host.play(*LIST[:2], toolInfo=info(INVOICES))
        await host.inside("(document.querySelector('.form input').value = '7')")
        await host.inside(CLICK.format("Call again"))
        await host.until("document.body.innerText.includes('Too many requests.')", inside=True)
        assert await host.inside("document.querySelector('.form input').value") == "7"

    run(scene())


PICTURES = """
[...document.querySelectorAll("img")].map((each) => [new URL(each.src).pathname, each.complete && each.naturalWidth])
"""


def test_pictures_come_only_from_the_origins_of_the_owner(chromium: tuple[Run, Host]) -> None:
    """Check a picture of an allowed origin, one that is gone, one of another origin, and addresses that are none."""
    run, host = chromium
    allowed, other = host.address, host.address.replace("127.0.0.1", "localhost")
    item = {
        "name": "Lamp",
        "photo": f"{allowed}/pictures/1",
        "side": f"{allowed}/pictures/2.png?a=b",
        "gone": f"{allowed}/gone.png",
        "page": f"{allowed}/pictures/4",
        "copy": f"{other}/pictures/5.png",
        "odd": "https://[",
        "odder": "http://%",
    }
    columns = [{"name": name, **({"shows": "image"} if name == "photo" else {})} for name in item]

    async def nothing(params: Any) -> Any:
        return {"contents": []}

    host.read = nothing

    async def scene() -> None:
        for pictures, kind in ((pictures, kind) for pictures in ([], [allowed]) for kind in ("card", "table")):
            host.pictures = pictures
            await host.open(1200)
            view = {**INVOICES, "kind": kind, "items": "", "columns": columns}
            await host.play(result([item] if kind == "table" else item, view), {}, toolInfo=info(view))
            await host.until("[...document.querySelectorAll('img')].every((each) => each.complete)", inside=True)
            await host.drawn()
            shown = [["/pictures/1", 1], ["/pictures/2.png", 1]] if pictures else []
            assert await host.inside(PICTURES) == shown, kind
            targets = await host.inside(TARGETS)
            assert {item["copy"], item["page"], item["gone"]} <= {*targets}, "all others are links"
            assert "https://[" in await host.inside(TEXT)
            asked = {path for path in host.seen if "picture" in path or "gone" in path}
            assert asked == ({"/pictures/1", "/pictures/2.png", "/gone.png"} if pictures else {*()})
        host.pictures = []

    run(scene())


@pytest.mark.parametrize("attack", ATTACKS)
def test_gen_02_what_attacks_is_text(chromium: tuple[Run, Host], attack: str) -> None:
    """Check texts of an answer, names in it, notes, arguments, titles, schemas and what the host says."""
    run, host = chromium
    text = ATTACKS[attack]
    schema = {
        "type": "object",
        "required": [text],
        "properties": {text: {"type": "string", "description": text, "enum": [text]}, "page": {"default": text}},
    }
    item = {text: text, "name": text, "status": text, "url": text, "list": [{text: text}], "in": {text: {text: text}}}
    column = [{"name": each, "shows": shows} for each in (text, "name", "url") for shows in ("badge", "money", "image")]
    views = [
        {"tool": "a", "title": text, "kind": "table", "items": "/data", "columns": column, "inputSchema": schema},
        {"tool": text, "title": text, "kind": "card", "method": "PUT", "columns": column, "inputSchema": schema},
    ]

    async def answered(params: Any) -> Any:
        return result(text, views[0], failed=True)

    async def read(params: Any) -> Any:
        return {"contents": [{"uri": "ui://views/a", "mimeType": text, "text": json.dumps(views[0])}]}

    host.call, host.read = answered, read

    async def scene() -> None:
        await host.open(1200)
        for outcome in (
            result({"data": [item, item]}, views[0], f"Next page: page={json.dumps(text)}", text),
            result(item, views[1], text),
            result([text, text], views[0], text),
            result(text, views[0], text, failed=True),
            None,
        ):
            context = {"toolInfo": info(views[1]), "locale": text, "timeZone": text}
            await host.play(outcome, {text: text, "page": item}, **context)
            await host.inside("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            await host.inside("document.querySelectorAll('button').forEach((each) => each.click())")
            await host.drawn()
            assert await host.inside("document.scripts.length") == 1
            assert await host.inside(STRANGERS) == []
            assert await host.inside(HANDLERS) == []
            assert [each for each in await host.inside(TARGETS) if not each.startswith(("http", "mailto:"))] == []
            assert await host.inside("window.pwned === undefined")
            assert [url for url in await host.page.run("opened") if not url.startswith(("http", "mailto:"))] == []
        await host.assert_quiet()
        assert {*host.seen} <= {"/", "/view", "/call", "/resource", "/favicon.ico", *filter(is_package, host.seen)}

    run(scene())


def is_package(path: str) -> bool:
    return path.startswith("/packages/")


THIRTY = sorted((each for each in DOCUMENTS if each.operations), key=lambda each: each.operations)[-30:]
MOST = 4
"""Limit on the tools of each kind of view that are shown for a document."""


@pytest.mark.skipif(not DOCUMENTS, reason="the corpus is not beside the repository")
@pytest.mark.parametrize("entry", THIRTY, ids=lambda entry: entry.path.removeprefix("dev/"))
def test_a_published_document_is_shown(chromium: tuple[Run, Host], entry: Entry) -> None:
    """Show answers that are made from the schemas of a document: each kind of view, with and without calls."""
    run, host = chromium
    made = compile_source(fetch.read(str(CORPUS / entry.path)), Options(views=True))
    by_kind: dict[tuple[str, bool], list[Any]] = {}
    for tool in made.catalog.tools:
        assert tool.extra
        by_kind.setdefault((str(as_object(tool.extra["view"])["kind"]), tool.annotations.read_only), []).append(tool)
    answers = Answers(made.definitions)

    async def nothing(params: Any) -> Any:
        return {"contents": []} if "uri" in params else result("Not here.", failed=True)

    host.call = host.read = nothing

    async def scene() -> None:
        await host.open(1200)
        for (kind, _), tools in by_kind.items():
            for tool in tools[:: max(1, len(tools) // MOST)][:MOST]:
                value = answers.of_tool(tool)
                view = {**told(tool), "inputSchema": tool.input_schema}
                await host.play(result(value, view), {}, can=CAN, toolInfo=info(view))
                shown = await host.inside(ROWS)
                if kind == "table" and isinstance(value, (list, dict)) and value:
                    assert shown or "empty" in await host.inside(TEXT), tool.name
                assert await host.inside("document.documentElement.scrollWidth") <= 1200, tool.name
        await host.assert_quiet()

    run(scene())
