"""Test which operations are recognised as starting a job.

For some, mcpgen proposes a value of `task` for the tools file. The proposed text must be valid there without changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from mcpgen.lower.jobs import proposals
from mcpgen.model import ToolSpec
from mcpgen.model.options import Options
from mcpgen.pipeline import Compiled, compile_source
from mcpgen.read.fetch import Fetched, read
from tests.function_calls import function_calls

FORMS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_suffix("").with_name("recognised_jobs.yaml").read_text()
)
PLAIN = ("string", "boolean", "integer")


def schema(short: Any) -> dict[str, Any]:
    """Return the JSON Schema for a short form.

    Forms: a type's name, a list with the form of its items, `{enum: [...]}`, or a mapping from property name to form.
    """
    if short in PLAIN:
        return {"type": short}
    if isinstance(short, list):
        return {"type": "array", "items": schema(short[0])}
    if isinstance(short.get("enum"), list):
        return {"type": "string", "enum": short["enum"]}
    return {"type": "object", "properties": {name: schema(each) for name, each in short.items()}}


def response(short: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"description": short.get("description", "It is so."), "links": short.get("links", {})}
    found["headers"] = {name: {"schema": {"type": "string"}} for name in short.get("headers", ())}
    if "body" in short:
        found["content"] = {"application/json": {"schema": schema(short["body"])}}
    return found


def document(form: dict[str, Any]) -> bytes:
    paths: dict[str, Any] = {}
    for request, said in form["paths"].items():
        method, path = request.split(" ")
        variables = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        places = [(name, "path") for name in variables] + [(name, "query") for name in said.get("query", ())]
        paths.setdefault(path, {})[method.lower()] = {
            "operationId": request,
            "summary": said.get("summary", ""),
            "description": said.get("description", ""),
            "parameters": [
                {"name": name, "in": place, "required": True, "schema": {"type": "string"}} for name, place in places
            ],
            "responses": {str(key): response(each) for key, each in said.items() if isinstance(key, int)},
        }
    if (via := form.get("extension")) is not None:
        method, path = next(iter(form["paths"])).split(" ")
        options = {"x-ms-long-running-operation-options": {"final-state-via": via}} if via else {}
        paths[path][method.lower()] |= {"x-ms-long-running-operation": True, **options}
    servers = [{"url": "https://api.example.com"}]
    whole = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": servers, "paths": paths}
    return json.dumps(whole).encode()


def compiled(source: bytes, name: str = "d.json") -> Compiled:
    return compile_source(Fetched(name, source), Options())


def tool_of(found: Compiled, form: dict[str, Any]) -> ToolSpec:
    request = next(iter(form["paths"]))
    return next(each for each in found.catalog.tools if f"{each.operation.method} {each.operation.path}" == request)


@pytest.mark.parametrize("form", FORMS, ids=[form["about"] for form in FORMS])
def test_a_form(form: dict[str, Any]) -> None:
    found = compiled(document(form))
    accepted = tool_of(found, form).accepted
    assert (accepted.kind if accepted else None) == form["is"]
    assert accepted is None or accepted.task == form.get("task", {})
    assert accepted is None or "look" not in form or accepted.look == form["look"]
    told = [each for each in found.diagnostics if each.code == "job-recognised"]
    assert any(proposals.written(form["task"]) in each.hint for each in told) if "task" in form else not told
    assert not any(each.binding.task for each in found.catalog.tools)


@pytest.mark.parametrize("form", [form for form in FORMS if "task" in form], ids=lambda form: form["about"])
def test_a_proposal_is_confirmed_as_it_is(form: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "d.json").write_bytes(document(form))
    request = json.dumps(next(iter(form["paths"])))
    confirmed = f"{request}: {{task: {proposals.written(form['task'])}}}"
    (tmp_path / "t.yaml").write_text(f"mcpgen: 1\nopenapi: [{{document: d.json}}]\noverrides:\n  {confirmed}\n")
    found = compile_source(read(str(tmp_path / "t.yaml")), Options())
    assert [each for each in found.diagnostics if each.severity != "note"] == []
    tool = tool_of(found, form)
    assert tool.binding.task is not None
    assert tool.accepted is None


@pytest.mark.slow
def test_the_work_grows_in_proportion_to_the_operations() -> None:
    """Check that twice the operations need about twice the calls of functions, not four times as many."""
    few, many = (calls_for(number) for number in (150, 300))
    assert few > 0
    assert many < 2.5 * few


def calls_for(number: int) -> int:
    """Return the number of function calls in the recogniser of jobs (`mcpgen/lower/jobs`) for a document.

    The document has `number` operations that start a job, and as many GET operations.
    """
    names, paths = "Gets a state by its job_id.", dict[str, Any]()
    for index in range(number):
        started = {
            "description": f"Poll GET /jobs{index}/{{id}} later.",
            202: {"body": {"job_id": "string", "n": "string"}},
        }
        paths[f"POST /things{index}"] = started
        paths[f"GET /others{index}/{{other}}"] = {"description": names, 200: {"body": {"a": "string"}}}
    text = document({"paths": paths})
    called = function_calls(lambda: compiled(text))
    return sum(calls for file, calls in called.items() if "lower/jobs/" in file)
