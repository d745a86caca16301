"""Test that a web page in place of an API description is recognised, with the description that the page names."""

from __future__ import annotations

import pytest

from mcpgen.base.diagnostics import Diagnostics
from mcpgen.base.errors import FatalError
from mcpgen.read.document import load

URL = "https://api.example.com/docs/index.html"
OFTEN = "Its document is often at /openapi.json"


@pytest.mark.parametrize(
    ("name", "page", "hint"),
    [
        (URL, "<!DOCTYPE html><title>Swagger UI</title><script src='swagger-ui.js'></script>", OFTEN),
        (URL, "\n<html lang=en><body>SwaggerUIBundle({url: '/openapi.json', dom_id: '#x'})", "/openapi.json"),
        (URL, '<!doctype html><redoc spec-url="../v2/swagger.yaml?x=1"></redoc>', "https://api.example.com/v2/swagger"),
        (URL, '<html><script id="api-reference" data-url="https://cdn.example.com/openapi/3"></script>', "cdn.example"),
        (URL, '<html><script>const url = "/other/page"</script>', OFTEN),
        ("page.html", "<html><script>url: 'v3/api-docs'</script>", "The page shows v3/api-docs; name that document."),
    ],
)
def test_a_page_is_no_document(name: str, page: str, hint: str) -> None:
    with pytest.raises(FatalError) as failed:
        load(name, page.encode(), Diagnostics())
    assert failed.value.diagnostic.message == "This is a web page (HTML), not an API description."
    assert hint in str(failed.value.diagnostic.hint)
