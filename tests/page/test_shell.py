"""Test the bytes of the page of `mcpgen inspect`: everything is the same for every document, except for one block with
its data.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from mcpgen.emit import page

ATTACKS = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "{{script}}",
    "{{data}}",
    "&lt;&amp;",
    "\u2028\u2029",
    "]]>",
    "\udc00",
)


class Outline(HTMLParser):
    """Parser that collects elements, attributes, and the contents of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.contents: dict[str, list[str]] = {"script": [], "style": []}
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(attributes)))
        self._inside = tag
        if tag in self.contents:
            self.contents[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in self.contents:
            self.contents[self._inside][-1] += data


def outline(value: object) -> Outline:
    return Outline(page.page({"x": value}).decode("utf-8"))  # type: ignore[dict-item]


@pytest.mark.parametrize("attack", ATTACKS)
def test_gen_01_whatever_a_document_says_stays_one_block_of_data(attack: str) -> None:
    plain, found = outline(""), outline({attack: [attack]})
    assert found.elements == plain.elements
    assert found.contents["style"] == plain.contents["style"]
    data, script = found.contents["script"]
    assert script == plain.contents["script"][1]
    assert data.isascii()
    assert not re.search("[<>&]", data)
    assert json.loads(data) == {"x": {attack: [attack]}}


def test_the_policy_allows_our_script_and_our_style_and_nothing_else() -> None:
    found = outline("")
    policy = next(
        dict(attributes)["content"]
        for tag, attributes in found.elements
        if ("http-equiv", "Content-Security-Policy") in attributes
    )
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    digests = {
        name: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
        for name, text in (("script-src", found.contents["script"][1]), ("style-src", found.contents["style"][0]))
    }
    assert rules == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'", **digests}


def test_the_shell_names_nothing_outside_of_itself() -> None:
    """Check that no attribute of the page runs code, or links anywhere except to a place in the page."""
    for _, attributes in outline("").elements:
        for name, value in attributes:
            assert name not in ("src", "style", "srcset", "action"), name
            assert not name.startswith("on"), name
            assert name != "href" or (value or "").startswith("#")


def test_the_scripts_have_no_way_to_make_markup_or_code_of_text() -> None:
    script = outline("").contents["script"][1]
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "srcdoc",
        "DOMParser",
        "createContextualFragment",
        ".href =",
    ):
        assert word not in script
    assert "</" not in script
