"""Test that the petstore does exactly what its document says: every operation, every status, every body.

Each case has a new petstore. Other files in this folder test effects beyond the response.
"""

from __future__ import annotations

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from mcpgen.demo import petstore
from mcpgen.demo.api import Route
from mcpgen.demo.petstore.handlers import ROUTES
from mcpgen.demo.petstore.store import Store
from tests.demo.contract import ANSWERS, REQUESTS, Contract
from tests.demo.exchange import Received, Sent, call
from tests.demo.petstore_cases import CASES, Case

CONTRACT = Contract()
FIRST = {case.operation: case for case in reversed(CASES)}
SECURED = [case for case in FIRST.values() if CONTRACT.security(case.operation)]
WITH_BODY = [case for case in FIRST.values() if case.sent.body is not None]


def exchange(running: petstore.Running, operation: str, target: str, sent: Sent) -> Received:
    method, _, _ = CONTRACT.operations[operation]
    return call(running.url, method, target, sent)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_every_promised_answer_comes_as_promised(running: petstore.Running, case: Case) -> None:
    for before in case.before:
        exchange(running, *before)
    received = exchange(running, case.operation, case.target, case.sent)
    assert (received.status, received.body if received.status != case.status else b"") == (case.status, b"")
    CONTRACT.judge(case.operation, received)


@pytest.mark.parametrize(
    "credentials", [{}, {"X-API-Key": "guess", "Authorization": "Bearer guess"}], ids=["none", "wrong"]
)
@pytest.mark.parametrize("case", SECURED, ids=repr)
def test_nothing_is_read_or_written_without_the_credential(
    running: petstore.Running, case: Case, credentials: dict[str, str]
) -> None:
    method, _, _ = CONTRACT.operations[case.operation]
    received = call(running.url, method, case.target, case.sent, credentials)
    assert received.status == 401
    CONTRACT.judge(case.operation, received)


@pytest.mark.parametrize("case", SECURED, ids=repr)
def test_one_credential_is_enough_and_the_other_is_not(running: petstore.Running, case: Case) -> None:
    method, _, _ = CONTRACT.operations[case.operation]
    reading = {"X-API-Key": "demo-key"}
    writing = {"Authorization": "Bearer demo-token"}
    right, wrong = (reading, writing) if CONTRACT.security(case.operation) == ["apiKey"] else (writing, reading)
    assert call(running.url, method, case.target, case.sent, wrong).status == 401
    assert call(running.url, method, case.target, case.sent, right).status == case.status


@pytest.mark.parametrize("case", WITH_BODY, ids=repr)
def test_a_body_of_another_content_type_is_not_read(running: petstore.Running, case: Case) -> None:
    received = exchange(running, case.operation, case.target, case.sent._replace(media="application/x-other"))
    assert received.status == 415
    assert "application/x-other" in received.json()["detail"]
    CONTRACT.judge(case.operation, received)


def test_the_cases_are_all_that_the_document_promises() -> None:
    shown = {(case.operation, case.status) for case in CASES}
    shown |= {(case.operation, 401) for case in SECURED} | {(case.operation, 415) for case in WITH_BODY}
    assert shown == CONTRACT.statuses()


def test_the_routing_table_is_the_document() -> None:
    served = {(route.method, route.template, route.security or "") for route in ROUTES}
    written = {
        (method, path, "".join(CONTRACT.security(name))) for name, (method, path, _) in CONTRACT.operations.items()
    }
    assert served == written
    assert len(served) == len(ROUTES) == len(CONTRACT.operations)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")
def test_each_route_takes_the_inputs_of_its_operation(route: Route[Store]) -> None:
    item = CONTRACT.document["paths"][route.template]
    operation = item[route.method.lower()]
    declared = [CONTRACT.follow(found)[0] for found in item.get("parameters", []) + operation.get("parameters", [])]
    assert {(taken.place, taken.name, taken.required) for taken in route.parameters} == {
        (found["in"], found["name"], found.get("required", False)) for found in declared
    }
    content = operation.get("requestBody", {}).get("content", {})
    assert ([] if route.body is None else [route.body.media]) == list(content)


def test_the_document_is_valid() -> None:
    OpenAPIV31SpecValidator(CONTRACT.document).validate()
    assert 16 <= len(CONTRACT.operations) <= 24


@pytest.mark.parametrize(("pointer", "example"), CONTRACT.examples(), ids=[place for place, _ in CONTRACT.examples()])
def test_the_examples_fit_their_schemas(pointer: str, example: object) -> None:
    CONTRACT.validate(example, pointer, REQUESTS if "/requestBody/" in pointer else ANSWERS)


@pytest.mark.parametrize(
    ("method", "target", "status", "words"),
    [
        ("GET", "/dogs", 404, "There is nothing at /v1/dogs; the API is at /v1."),
        ("PUT", "/pets/1", 405, "/v1/pets/1 takes DELETE, GET, PATCH, and not PUT."),
        ("GET", "/pets/", 404, "There is nothing at /v1/pets/; the API is at /v1."),
    ],
)
def test_what_is_not_in_the_document_is_refused(
    running: petstore.Running, method: str, target: str, status: int, words: str
) -> None:
    received = call(running.url, method, target)
    assert (received.status, received.json()["detail"]) == (status, words)
