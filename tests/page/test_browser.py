"""Test the page of `mcpgen inspect` in a real browser: it loads without errors, filters, shows a tool, and shows
attacks as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcpgen.cli.inspect.tool import members
from tests.command import mcpgen
from tests.hostile.documents import everywhere
from tests.page.browser import CHROMIUM, Page
from tests.page.pages import GITHUB, PETSTORE, Run, assert_quiet, written

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian's package chromium)")

SHOWN = "[...document.querySelectorAll('#tools > li:not([hidden]) .name')].map((each) => each.textContent)"

ROWS = """
[...document.querySelectorAll("details[open] tbody tr")].map((row) =>
  [row.querySelector(".argument").textContent, row.querySelector(".place").textContent])
"""
ALL_ROWS = """
[...document.querySelectorAll("details.tool")].map((tool) => {
  tool.open = true;
  return new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(
    [...tool.querySelectorAll("tbody tr")].map((row) => [
      row.querySelector(".unseen").textContent + row.querySelector(".argument").textContent,
      row.querySelector(".type").textContent, row.querySelector(".required") !== null])))));
})
"""
CHOOSE = """
[...document.querySelectorAll("fieldset")]
  .find((each) => each.querySelector("legend").textContent.startsWith(FACET))
  .querySelectorAll("label").forEach((each) => each.querySelector(".value").textContent === VALUE && each.click())
"""
BY_TOKENS = """
document.getElementById("sort").value = "tokens";
document.getElementById("sort").dispatchEvent(new Event("change"));
"""
LABELS = "[...document.querySelectorAll('.cell')].map((each) => each.getAttribute('aria-label'))"
AREAS = """
[...document.querySelectorAll(".cell rect")].map((each) =>
  (each.width.baseVal.value + 1) * (each.height.baseVal.value + 1))
"""
NAMELESS = """
[...document.querySelectorAll(".cell")].filter((cell) => {
  const { width, height } = cell.querySelector("rect").getBBox();
  return Math.max(width, height) > 44 && Math.min(width, height) > 16 && !cell.querySelector("text")?.textContent;
}).map((cell) => cell.getAttribute("aria-label"))
"""
OVERFLOWING = """
[...document.querySelectorAll(".cell text")].filter((text) => {
  const inner = text.getBoundingClientRect();
  const outer = text.closest(".cell").querySelector("rect").getBoundingClientRect();
  return inner.left < outer.left || inner.top < outer.top || inner.right > outer.right || inner.bottom > outer.bottom;
}).map((text) => text.textContent)
"""
STRANGERS = """
[...document.querySelectorAll("img, iframe, object, embed, link, base, svg *, script:not([id=data])")]
  .map((each) => each.localName).filter((name) => !["g", "rect", "text"].includes(name))
"""
HANDLERS = """
[...document.querySelectorAll("*")].flatMap((each) => each.getAttributeNames()).filter((name) => name.startsWith("on"))
"""
TARGETS = (
    "[...document.querySelectorAll('[href]')].map((each) => each.getAttribute('href')).filter((to) => to[0] !== '#')"
)


@pytest.mark.slow
@pytest.mark.skipif(not GITHUB.is_file(), reason="the shared corpus is not here")
def test_a_thousand_tools(chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, page = chromium
    path, document = written(GITHUB, tmp_path, capsys)
    names = [tool["name"] for tool in document["tools"]]
    assert len(names) > 1000

    async def scene() -> None:
        await page.open(path)
        assert await page.run(SHOWN) == names
        assert await page.run("document.querySelectorAll('.cell').length") == len(names)
        await page.run("document.getElementById('search').focus()")
        await page.type("delete runner")
        shown = await page.run(SHOWN)
        assert shown == [tool["name"] for tool in document["tools"] if matches(tool, ["delete", "runner"])]
        assert 0 < len(shown) < 100
        assert await page.run("document.querySelectorAll('.cell').length") == len(shown)
        assert (await page.run("document.getElementById('count').textContent")).startswith(f"{len(shown)} of 1,")
        await page.point("#clear", click=True)
        assert await page.run(SHOWN) == names
        await show_a_tool(document)
        assert_quiet(page, path)

    async def show_a_tool(document: dict[str, Any]) -> None:
        tool = next(tool for tool in document["tools"] if tool["operation"]["path"] == "/repos/{owner}/{repo}/issues")
        await page.open(path, part=f"#tool={tool['name']}")
        body = await page.run("document.querySelector('details[open] .body').textContent")
        assert tool["description"] in body
        assert tool["operation"]["server"] + tool["operation"]["path"] in body
        rows = await page.run(ROWS)
        places = {argument: f"{place['in']} {place['name']}" for argument, place in tool["arguments"].items()}
        assert {name: place for name, place in rows if place} == places

    run(scene())


def matches(tool: dict[str, Any], words: list[str]) -> bool:
    operation = tool["operation"]
    texts = [tool["name"], tool["title"], tool["description"], operation["method"], operation["path"]]
    texts += [operation.get("id", ""), *operation["tags"], *tool["arguments"]]
    texts += ["deprecated"] if operation["deprecated"] else []
    return all(any(word in text.lower() for text in texts) for word in words)


#: Rows: legend of a filter, one of its values, and a function that returns True for tools with this value.
CHOICES: list[tuple[str, str, Callable[[dict[str, Any]], bool]]] = [
    ("Effect", "changes or deletes", lambda tool: tool["annotations"]["destructiveHint"]),
    ("Method", "PATCH", lambda tool: tool["operation"]["method"] == "PATCH"),
    ("Tag", "Care", lambda tool: "Care" in tool["operation"]["tags"]),
    ("Notes", "has notes", lambda tool: tool["name"] in ("replace_pedigree", "request_adoption")),
]


def test_filters_orders_and_keys(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    path, document = written(PETSTORE, tmp_path, capsys)

    async def scene() -> None:
        await page.open(path)
        for facet, value, belongs in CHOICES:
            await page.run(CHOOSE.replace("FACET", json.dumps(facet)).replace("VALUE", json.dumps(value)))
            wanted = [tool["name"] for tool in document["tools"] if belongs(tool)]
            assert wanted
            assert await page.run(SHOWN) == wanted
            await page.run("document.getElementById('filters').reset()")
        await page.run(BY_TOKENS)
        heaviest = sorted(document["tools"], key=lambda tool: -tool["tokens"])
        assert [tool["tokens"] for tool in heaviest] == [
            next(tool["tokens"] for tool in document["tools"] if tool["name"] == name) for name in await page.run(SHOWN)
        ]
        await page.press("/")
        assert await page.run("document.activeElement.id") == "search"
        await page.type("no such tool")
        assert await page.run("!document.getElementById('none').hidden")
        await page.point("#none-clear", click=True)
        assert len(await page.run(SHOWN)) == len(document["tools"])
        assert_quiet(page, path)

    run(scene())


GRADES = """
[...document.querySelectorAll("details.tool")].map((tool) => [
  tool.querySelector(".name").textContent, tool.querySelector(".grade").textContent])
"""
FAULTS = """
[...document.querySelectorAll("details.tool[open] .faults li")].map((each) => each.textContent)
"""


def test_each_tool_has_its_grade_and_the_reasons(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    path, _ = written(PETSTORE, tmp_path, capsys)
    found = json.loads(mcpgen("grade", str(PETSTORE), "--format", "json").stdout)
    rules = {rule["name"]: rule for rule in found["rules"]}
    worst = min(found["tools"], key=lambda tool: tool["score"])

    async def scene() -> None:
        await page.open(path)
        assert await page.run(GRADES) == [
            [tool["name"], f"grade {tool['letter']} {tool['score']:g}"] for tool in found["tools"]
        ]
        await page.run(BY_TOKENS.replace('"tokens"', '"grade"'))
        assert (await page.run(SHOWN))[0] == worst["name"]
        await page.run(CHOOSE.replace("FACET", '"Grade"').replace("VALUE", json.dumps(worst["letter"])))
        alike = [tool["name"] for tool in found["tools"] if tool["letter"] == worst["letter"]]
        assert sorted(await page.run(SHOWN)) == sorted(alike) != sorted(tool["name"] for tool in found["tools"])
        await page.run(f"openTool({json.dumps(worst['name'])})")
        await page.drawn()
        shown = await page.run(FAULTS)
        assert len(shown) == len(worst["faults"])
        for text, fault in zip(shown, worst["faults"], strict=True):
            rule = rules[fault["rule"]]
            assert text.startswith(f"\u2212{fault['points']:g} {rule['reason']} ")
            assert text.endswith(f" {rule['advice']} {rule['name']}")
            assert all(f" {each} " in text for each in fault["about"][:8])
        assert_quiet(page, path)

    run(scene())


@pytest.mark.parametrize("width", [1280, 400])
def test_every_tile_with_room_for_a_line_names_its_tool(
    width: int, chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    path, _ = written(PETSTORE, tmp_path, capsys)

    async def scene() -> None:
        await page.open(path, width=width)
        assert await page.run("document.querySelectorAll('.cell').length") > 20
        assert await page.run(NAMELESS) == []
        assert await page.run(OVERFLOWING) == []

    run(scene())


def test_the_picture_is_reached_by_pointer_and_by_keys(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    path, document = written(PETSTORE, tmp_path, capsys)

    async def scene() -> None:
        await page.open(path)
        weights = {f"{tool['name']}, {tool['tokens']:,} tokens" for tool in document["tools"]}
        labels = await page.run(LABELS)
        assert {label.rpartition(", ")[0] for label in labels} == weights
        areas = await page.run(AREAS)
        share = [area / int(label.split(", ")[1].split()[0]) for area, label in zip(areas, labels, strict=True)]
        assert max(share) / min(share) < 1.25, "areas are as large as what they stand for, but for the heads of groups"
        await page.point(".cell")
        assert await page.run("!document.getElementById('tip').hidden")
        assert labels[0].split(",")[0] in await page.run("document.getElementById('tip').textContent")
        await page.run("document.querySelector('.cell').focus()")
        await page.press("ArrowRight")
        assert await page.run("document.activeElement.getAttribute('aria-label')") == labels[1]
        await page.press("Enter")
        assert (
            await page.run("document.querySelector('details.tool[open] .name').textContent") == labels[1].split(",")[0]
        )
        assert (await page.run("location.hash")) == "#tool=" + labels[1].split(",")[0]
        assert_quiet(page, path)

    run(scene())


def test_arguments_are_described_as_on_the_terminal(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, page = chromium
    path, document = written(PETSTORE, tmp_path, capsys)

    async def scene() -> None:
        await page.open(path)
        shown = await page.run(f"Promise.all({ALL_ROWS})")
        expected = [
            [[member.path, member.type, member.required] for member in members(tool["inputSchema"])]
            for tool in document["tools"]
        ]
        assert shown == expected
        assert_quiet(page, path)

    run(scene())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [340, 700, 1440])
def test_it_fits_and_can_be_read(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str], width: int, scheme: str
) -> None:
    """Check that the page does not scroll horizontally, that every control has a name, and that text has enough
    contrast (WCAG 2.2, 1.4.3).
    """
    run, page = chromium
    path, _ = written(PETSTORE, tmp_path, capsys)

    async def scene() -> None:
        await page.open(path, width=width, scheme=scheme, part="#tool=update_pet")
        await page.run("document.getElementById('facets').open = true")
        assert await page.run("document.documentElement.scrollWidth") <= width
        tree = (await page.ask("Accessibility.getFullAXTree"))["nodes"]
        named = [
            node
            for node in tree
            if node["role"]["value"] in ("button", "searchbox", "textbox", "checkbox", "combobox", "region", "link")
        ]
        assert len(named) > 40
        assert [node for node in named if not node["name"]["value"].strip()] == []
        dark = await page.run("getComputedStyle(document.body).backgroundColor")
        assert (max(map(int, dark[4:-1].split(","))) < 60) == (scheme == "dark")
        assert await page.run(CONTRAST) == []
        assert_quiet(page, path)

    run(scene())


CONTRAST = """
(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const [red, green, blue] = parts(color).map((part) => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratio = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const ground = (node) => {
    const color = getComputedStyle(node).backgroundColor;
    return parts(color)[3] === 0 ? ground(node.parentElement) : color;
  };
  const contrast = (node) => {
    const style = getComputedStyle(node);
    const cell = node.closest(".cell");
    if (cell) return ratio(style.fill, getComputedStyle(cell.querySelector("rect")).fill);
    return ratio(node instanceof SVGElement ? style.fill : style.color, ground(node));
  };
  const speaks = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
  return [...document.querySelectorAll("body *:not(script):not(option)")]
    .filter((node) => speaks(node) && node.checkVisibility() && contrast(node) < 4.5)
    .map((node) => [node.textContent.slice(0, 30), contrast(node)]);
})()
"""

ATTACKS = {
    "script": "</script><script>window.pwned = 1</script>",
    "handler": '"><img src=x onerror="window.pwned = 1"><svg onload="window.pwned = 1">',
    "link": "javascript:window.pwned = 1",
    "comment": "<!--<script>window.pwned = 1",
    "separators": "a\u2028b\u2029c\u202ed\u2066e\u200bf",
    "template": "${window.pwned = 1}{{data}}{{script}}",
    "prototype": "__proto__",
    "frame": '<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe><base href="https://evil.example/">',
    "style": "</style><style>@import 'https://evil.example/x.css'</style>",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_gen_02_what_attacks_is_text(
    chromium: tuple[Run, Page], tmp_path: Path, capsys: pytest.CaptureFixture[str], attack: str
) -> None:
    run, page = chromium
    text = ATTACKS[attack]
    source = tmp_path / "attack.json"
    source.write_text(json.dumps(everywhere(text)), encoding="utf-8")
    path, document = written(source, tmp_path, capsys)
    wires = [place["name"] for tool in document["tools"] for place in tool["arguments"].values()]
    assert text in wires, "the attack reaches the page"

    async def scene() -> None:
        await page.open(path)
        before = await page.run("document.scripts.length")
        await page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        await page.drawn()
        await page.run("document.querySelectorAll('.schema').forEach((each) => { each.open = true; })")
        await page.drawn()
        shown = await page.run("[...document.querySelectorAll('.wire')].map((each) => each.textContent)")
        assert unveiled(text) in shown
        await page.run(f"document.getElementById('ask').value = {json.dumps('get a thing ' + text)}")
        await page.run("document.getElementById('ask').dispatchEvent(new Event('input'))")
        assert not await page.run("document.getElementById('answer').hidden")
        assert await page.run("document.getElementById('answer').childElementCount") == 0
        assert await page.run("typeof window.pwned") == "undefined"
        assert await page.run("typeof Object.prototype.type") == "undefined"
        assert await page.run("document.scripts.length") == before == 2
        assert await page.run("document.querySelectorAll('style').length") == 1
        assert await page.run(STRANGERS) == ["script"], "our own"
        assert await page.run(HANDLERS) == []
        assert await page.run(TARGETS) == []
        assert_quiet(page, path)

    run(scene())


def unveiled(text: str) -> str:
    """Return `text` with each hidden character replaced by an escape that contains its code point."""
    return "".join(each if each.isprintable() else f"\\u{{{ord(each):x}}}" for each in text)
