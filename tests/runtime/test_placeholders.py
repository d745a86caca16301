"""Test that a placeholder which the client did not replace is no credential."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.test_settings import load


@pytest.mark.parametrize(
    ("variable", "value", "form"),
    [
        ("API_KEY", "${MY_TOKEN}", "${NAME}"),
        ("API_KEY", "${input:token}", "${NAME}"),
        ("BEARER", "Bearer ${env:TOKEN}", "${NAME}"),
        ("HEADER", "X-Token: $MY_TOKEN", "$NAME"),
        ("BEARER", "$TOKEN", "$NAME"),
        ("API_KEY", "{{token}}", "{{name}}"),
        ("API_KEY", "%MY_TOKEN%", "%NAME%"),
        ("API_KEY", "<your-token>", "<your-token>"),
        ("LOGIN_PASSWORD", "<your password>", "<your-token>"),
        ("API_KEY", "op://vault/item/field", "op://VAULT/ITEM/FIELD"),
        ("API_KEY", "YOUR_API_KEY", "YOUR_API_KEY"),
        ("API_KEY", "your-api-key-here", "YOUR_API_KEY"),
        ("LOGIN_USERNAME", "your_username", "YOUR_API_KEY"),
    ],
)
def test_a_placeholder_is_no_credential(tmp_path: Path, variable: str, value: str, form: str) -> None:
    name = f"PETSTORE_{variable}"
    settings = load({name: value})
    [warning] = settings.warnings
    assert warning.startswith(f"{name} holds a placeholder of the form {form}, which ")
    assert (settings.problems, settings.secrets) == ([], {})
    (tmp_path / "secret").write_text(value)
    assert load({f"{name}_FILE": str(tmp_path / "secret")}).problems == []


@pytest.mark.parametrize(
    "value", ["$2b$12$abcdefgh", "pa$$word", "100%_sure%", "a<b>c", "$ECRET", "your", "yourself", "{json}", "x${A}"]
)
def test_a_value_with_signs_of_placeholders_is_a_credential(value: str) -> None:
    settings = load({"PETSTORE_LOGIN_PASSWORD": value})
    assert (settings.problems, settings.secrets) == ([], {"PETSTORE_LOGIN_PASSWORD": value})
