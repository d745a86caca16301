"""Values that are hard to show, the view that shows them, and texts that people must see."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.views.results import INVOICE, INVOICES, invoices

CARD: dict[str, Any] = {**INVOICE, "columns": []}
TABLE: dict[str, Any] = {**INVOICES, "items": "", "columns": []}
CENTS: dict[str, Any] = {**TABLE, "columns": [{"name": "name"}, {"name": "amount", "shows": "cents"}]}
LIST: dict[str, Any] = {**INVOICES, "items": ""}


class Case(NamedTuple):
    """`shows`: texts that the view must show, all details opened. `lacks`: texts that it must not show."""

    value: Any
    view: dict[str, Any]
    shows: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


def _amount(currency: str, amount: Any = 1999) -> dict[str, Any]:
    return {"name": currency, "amount": amount, "currency": currency}


CASES = {
    "10,000 rows": Case(
        [{"name": f"Row {each}"} for each in range(10_000)], TABLE, ("Row 199", "of 10,000"), ("Row 200",)
    ),
    "ids beyond 2**53": Case(
        [{"id": 9007199254740993 + each} for each in range(2)], TABLE, ("9007199254740993", "9007199254740994")
    ),
    "large and small numbers": Case(
        {"huge": 1e300, "small": -0.000000125, "long": 2**80, "usual": 1234.5},
        CARD,
        ("1e+300", "-1.25e-7", str(2**80), "1,234.5"),
    ),
    "a list of all kinds": Case(
        [1, "two", None, True, {"name": "Three"}, [4, 5], []], TABLE, ("two", "Yes", "Three", "2 items"), ("Show",)
    ),
    "nested lists": Case([[1, [2]], [{"a": 1}]], TABLE, ("2 items", "1 item")),
    "what lies deep": Case(
        {"name": "Top", "a": {"b": {"c": {"d": {"e": 1}}}}, "list": [[1, 2, 3]], "of": [{"in": {"x": 1}}]},
        CARD,
        ("Top", "1 field", "1, 2, 3"),
    ),
    "an object of lists": Case(
        {"cats": [{"name": "Tom"}], "dogs": [{"name": "Rex"}], "fish": []}, CARD, ("Tom", "Rex")
    ),
    "an object of objects": Case({"EUR": {"rate": 1.1}, "USD": {"rate": 1}}, CARD, ("EUR", "USD")),
    "an empty object": Case({}, CARD, ("The answer is empty.",)),
    "an empty text": Case("", CARD, ("The answer is empty.",)),
    "only null": Case([dict.fromkeys(invoices(1)[0]) for _ in range(3)], LIST, ("Show", "\u2014")),
    "rows without a name": Case(
        [{"number": each, "status": "open"} for each in ("", " ", "\n", None)], LIST, ("Show",)
    ),
    "empty names": Case({"": "a", " ": "b", "name": " "}, CARD, ("a", "b")),
    "long names and texts": Case(
        {"a" * 300: 1, "name": "v" * 500, "of": [{"k" * 200: "v" * 3000}], "in": {"x": {"y": "v" * 3000}}}, CARD
    ),
    "right to left": Case(
        {"name": "\u05e9\u05dc\u05d5\u05dd", "in": {"text": "\u0645\u0631\u062d\u0628\u0627 123"}},
        CARD,
        ("\u05e9\u05dc\u05d5\u05dd", "\u0645\u0631\u062d\u0628\u0627 123"),
    ),
    "days and times": Case(
        {
            "no day": "2026-02-30",
            "no hour": "2026-03-01T25:00:00Z",
            "no zone": "2026-03-01T23:30:00",
            "with a space": "2026-03-02 23:30",
            "utc": "2026-03-03T23:30:00Z",
        },
        CARD,
        (
            "2026-02-30",
            "2026-03-01T25:00:00Z",
            "Mar 1, 2026, 11:30 PM",
            "Mar 2, 2026, 11:30 PM",
            "Mar 4, 2026, 12:30 AM",
        ),
    ),
    "minor units": Case(
        [_amount("JPY"), _amount("KWD"), _amount("USD", "12345678901234567890"), _amount("??"), _amount("EUR", "n/a")],
        CENTS,
        ("\u00a51,999", "1.999", "$123,456,789,012,345,678.90", "19.99", "n/a"),
    ),
    "markup and addresses of data": Case(
        {"name": "<b>x</b>", "svg": "data:image/svg+xml;base64,PHN2Zy8+", "page": "data:text/html,<script>1</script>"},
        CARD,
        ("<b>x</b>", "data:image/svg+xml;base64,PHN2Zy8+", "data:text/html,<script>1</script>"),
    ),
    "addresses that are no links": Case(
        [{"name": "a", "url": each} for each in ("javascript:1", "//x.example.com", "https://me:secret@example.com/")],
        TABLE,
        ("javascript:1", "//x.example.com", "https://me:secret@example.com/"),
    ),
    "a name that is an address": Case([{"name": "https://example.com/a", "x": 1}], TABLE, ("example.com/\u2026/a",)),
}
