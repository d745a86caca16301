"""Test that workflows run their steps as calls of this server: results, failures, consent, undo and limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from package.runtime.core.catalog import Catalog
from package.runtime.core.effects import Call
from package.runtime.core.wire_formats import Question, Result
from package.runtime.workflows import workflow_runs, workflow_step

from tests.workflows.shop import ACCEPT, CANCEL, DECLINE, REFUND, SECRET, Scene, generated, run, text

MORE = """
- name: refund_each
  description: Refund, asked for each write.
  arguments: {customer: string required}
  consent: each
  steps:
  - {id: found, call: find_customers, with: {q: '{customer}'}}
  - id: refund
    call: create_refund
    with: {invoice: 71}
    undo: {call: delete_refund, with: {refund: '{refund/id}'}}
  - {id: mail, call: send_mail, with: {to: '{found/0/mail}', text: done}}
- name: mail_all
  description: Write to everybody.
  steps:
  - {id: list, call: list_invoices, with: {customer_id: 1}}
  - {id: mails, call: send_mail, each: {in: '{list}', most: 3}, with: {to: 'x{index}', text: 'about {item/id}'}}
  outputs: {sent: '{mails}'}
- name: mail_two
  description: Write to two at most.
  confirm: never
  steps:
  - {id: list, call: list_invoices, with: {customer_id: 1}}
  - {id: mails, call: send_mail, each: {in: '{list}', most: 2}, with: {to: x, text: y}}
- name: forward_note
  description: Send what the API says of a customer.
  confirm: never
  steps:
  - {id: found, call: find_customers, with: {q: ann}}
  - {call: send_mail, with: {to: x, text: '{found/0/note}'}}
- name: wait_for_job
  description: Wait for a job.
  steps:
  - {id: job, call: get_job, with: {job: 1}, until: "{job/state} == 'done'", retry: {times: 5, seconds: 0}}
- name: patient_refund
  description: Refund, again if it fails.
  confirm: never
  steps:
  - {id: refund, call: create_refund, with: {invoice: 5}, retry: {times: 2, seconds: 0}}
- name: tidy
  description: Clear, after a refund that asks for itself.
  confirm: never
  steps:
  - {id: refund, call: create_refund, with: {invoice: 6}, undo: {call: delete_refund, with: {refund: '{refund/id}'}}}
  - {id: clear, call: clear_shop}
- name: outer
  description: Refund by another workflow, and say so.
  arguments: {customer: string required}
  steps:
  - {id: inner, call: refund_last_invoice, with: {customer: '{customer}'}}
  - {id: mail, call: send_mail, with: {to: boss, text: 'Refund {inner/refund}'}}
- name: skipping
  description: Leave a step out.
  confirm: never
  steps:
  - {id: list, call: list_invoices, with: {customer_id: 1}}
  - {id: refund, call: create_refund, when: "{list/0/open} == true", with: {invoice: 9}}
  - {id: last, call: list_invoices, with: {customer_id: 2}}
  outputs: {first: '{list/0/id}', refund: '{refund}'}
- {name: hidden_read, listed: false, description: Read., request: 'GET /customers?q={q}',
   arguments: {q: string required}}
- name: own_requests
  description: Send requests of its own.
  arguments: {who: string required}
  steps:
  - {id: read, call: hidden_read, with: {q: '{who}'}}
  - {id: mail, request: 'POST /mails?by={who}', with: {who: '{who}', to: '{read/0/mail}'}}
  - {id: gone, request: 'DELETE /mails/{mail}', with: {mail: '{mail/id}'}}
- name: forward_field
  description: Send a header field of an answer if a later step fails.
  confirm: never
  steps:
  - call: create_refund
    with: {invoice: 1}
    undo: {call: send_mail, with: {to: x, text: 'key {$response.header.X-Sent}'}}
  - {call: delete_mail, with: {mail: 9}}
- name: forever
  description: Ask for a job that never ends.
  steps:
  - {id: job, call: get_job, with: {job: 1}, until: "{job/state} == 'never'", retry: {times: 100, seconds: 100}}
  timeout: 1
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("shop"), REFUND % "" + MORE)


def test_a_workflow_is_one_call_with_one_question(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        result = await scene.call("refund_last_invoice", customer="ann", reason="late")
        assert result.structured == {
            "refund": 1,
            "customer": "Ann",
            "left": [{"id": 70, "open": False}, {"id": 71, "open": True}, {"id": 72, "open": True}],
        }
        assert scene.told == [
            f"step {n} of 5, {id_}" for n, id_ in enumerate(["found", "invoices", "refund", "mail", "after"], 1)
        ]
        assert scene.asked == [
            "Go on with this call of refund_last_invoice?\nIt may make these calls:\nCreate refund (POST /refunds)\n"
            "Delete refund (DELETE /refunds/{refund}) to undo a step that was done\nSend mail (POST /mails)\n"
            'Delete mail (DELETE /mails/{mail}) to undo a step that was done\n- customer: "ann"\n- reason: "late"'
        ]

    shop = run(project, scene)
    assert shop.seen == [
        "GET /customers?q=ann",
        "GET /customers/7/invoices",
        'POST /refunds {"invoice":70,"reason":"late"}',
        'POST /mails {"to":"ann@example.org","text":"Refunded 70."}',
        "GET /customers/7/invoices",
    ]


@pytest.mark.parametrize("reply", [DECLINE, CANCEL, None, {"action": "?"}])
@pytest.mark.parametrize("is_stateless", [False, True])
def test_nothing_is_sent_without_a_yes(project: Path, reply: Any, is_stateless: bool) -> None:
    async def scene(scene: Scene) -> None:
        if is_stateless:
            await scene.stateless("refund_last_invoice", [reply], customer="ann")
        else:
            scene.replies = [reply]
            told = text(await scene.call("refund_last_invoice", customer="ann"))
            assert told.startswith("refund_last_invoice was not called.")

    assert run(project, scene).seen == []


def test_a_client_that_cannot_ask_sends_nothing(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        told = text(await scene.call("refund_last_invoice", "", customer="ann"))
        assert "this client cannot ask" in told

    assert run(project, scene).seen == []


STEPS = {
    "GET /customers?": ("found", [], "Nothing was changed."),
    "GET /customers/7": ("invoices", [], "Nothing was changed."),
    "POST /refunds": ("refund", ["POST /refunds"], ""),
    "POST /mails": ("mail", ["POST /refunds", "POST /mails", "DELETE /refunds/1"], "undone"),
}


@pytest.mark.parametrize("status", [400, 500, 0])
@pytest.mark.parametrize("at", STEPS)
def test_each_step_that_fails_ends_the_workflow_with_a_report(project: Path, at: str, status: int) -> None:
    step, writes, said = STEPS[at]

    async def scene(scene: Scene) -> None:
        scene.shop.faults = {at: [status] * 5}
        told = text(await scene.call("refund_last_invoice", customer="ann"))
        assert told.startswith(f"refund_last_invoice was not completed. The step {step} failed:"), told
        assert said in told
        assert "Not done:\n" in told
        assert SECRET not in told
        unknown = "Sent, but without an answer that says whether it was done." in told
        assert unknown == (bool(writes) and status != 400)

    shop = run(project, scene)
    assert list(dict.fromkeys(" ".join(each.split(" ")[:2]) for each in shop.writes)) == writes
    assert shop.refunds == {}
    assert shop.mails == {}


def test_undo_runs_in_reverse_and_says_what_stays(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        scene.shop.faults = {"GET /customers/7": [200, 500, 500, 500, 500], "DELETE /refunds": [500] * 5}
        told = text(await scene.call("refund_last_invoice", customer="ann"))
        assert "Done, and undone again:\n- mail: send_mail" in told
        assert "Could not be undone:\n- refund: create_refund" in told
        assert "must be undone or completed by other calls" in told

    shop = run(project, scene)
    deletes = [each for each in shop.writes if each.startswith("DELETE")]
    assert deletes[:2] == ["DELETE /mails/1", "DELETE /refunds/1"]
    assert list(shop.refunds) == [1]
    assert shop.mails == {}


def test_each_write_is_confirmed_by_itself(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        await scene.call("refund_each", customer="ann")
        assert [each.split("\n")[0] for each in scene.asked] == [
            "Go on with this call of create_refund?",
            "Go on with this call of send_mail?",
        ]
        scene.asked, scene.replies = [], [ACCEPT, DECLINE, ACCEPT]
        told = text(await scene.call("refund_each", customer="ann"))
        assert "The step mail was not made." in told
        assert "Done, and undone again:\n- refund: create_refund" in told

    shop = run(project, scene)
    assert len(shop.mails) == 1
    assert len(shop.refunds) == 1


def test_a_workflow_that_waits_goes_on_where_it_was(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        result = await scene.stateless("refund_each", [ACCEPT, ACCEPT], customer="ann")
        assert result.structured == {"result": {"id": 1}}
        first = await scene.call("refund_each", "result", "2026-07-28", customer="bob")
        assert isinstance(first, Question)
        other = await scene.with_state("refund_each", first.state, {"confirm": ACCEPT}, {"customer": "eve"})
        assert "The user confirmed another call" in text(other)
        twice = await scene.with_state("refund_each", first.state, {"confirm": ACCEPT}, {"customer": "bob"})
        assert twice.sentence.startswith("refund_each was not called. The requestState is not the one")
        forged = await scene.with_state("refund_last_invoice", "workflow.x", {"confirm": ACCEPT}, {"customer": "bob"})
        assert forged.sentence.startswith("refund_last_invoice was not called.")

    shop = run(project, scene)
    assert [each for each in shop.writes if "eve" in each] == []
    assert len(shop.writes) == 2
    assert [each for each in shop.seen if each.startswith("GET")] == ["GET /customers?q=ann", "GET /customers?q=bob"]


def test_a_tool_that_asks_for_itself_asks_inside(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        told = text(await scene.stateless("tidy", [DECLINE]))
        assert "The step clear was not made." in told
        assert "Done, and undone again:\n- refund" in told

    shop = run(project, scene)
    assert [each.split(" ")[0] + each.split(" ")[1] for each in shop.writes] == ["POST/refunds", "DELETE/refunds/1"]


def test_items_retries_and_conditions(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        assert (await scene.call("mail_all")).structured == {"sent": [{"id": 1}, {"id": 2}, {"id": 3}]}
        assert (await scene.call("wait_for_job")).structured == {"result": {"state": "done"}}
        scene.shop.faults = {"POST /refunds": [400, 400]}
        assert (await scene.call("patient_refund")).structured == {"result": {"id": 1}}
        assert (await scene.call("skipping")).structured == {"first": 70}

    shop = run(project, scene)
    assert shop.mails[2] == {"to": "x1", "text": "about 71"}
    assert shop.job == 3
    assert len(shop.writes) == 6


def test_a_loop_has_no_more_items_than_its_owner_says(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        told = text(await scene.call("mail_two"))
        assert "The step mails is made for at most 2 items, and there are 3." in told

    assert run(project, scene).writes == []


def test_a_workflow_calls_another(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        assert (await scene.call("outer", customer="ann")).structured == {"result": {"id": 2}}
        assert len(scene.asked) == 1, "the writes of the inner workflow are in the list of the outer one"
        assert "Create refund (POST /refunds)" in scene.asked[0]
        scene.shop.faults = {"POST /mails": [400]}
        told = text(await scene.call("outer", customer="ann"))
        assert told.startswith("outer was not completed. The step inner failed: The step mail failed: HTTP 400")
        assert "Done, and undone again:\n- inner/refund: create_refund" in told, "the calls are those of the inner one"
        assert "- inner: refund_last_invoice" not in told

    assert len(run(project, scene).refunds) == 1


def test_requests_of_steps_are_called_by_nothing_else(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        assert (await scene.call("own_requests", who="ann")).structured == {"result": {}}
        catalog = scene.executor.services.catalog
        assert not {"hidden_read", "own_requests_mail"} & {*catalog.names(), *catalog.hidden}
        assert b"own_requests_mail" not in b"".join(catalog.tools)
        assert not catalog.has("own_requests_mail")

    assert run(project, scene).seen == [
        "GET /customers?q=ann",
        'POST /mails?by=ann {"to":"ann@example.org"}',
        "DELETE /mails/1",
    ]


class Log:
    """Audit log that remembers its lines: tool, id of the call that made the call, and outcome."""

    def __init__(self) -> None:
        self.calls: dict[int, Call] = {}
        self.lines: list[tuple[str, str, str]] = []

    def begin(self, call: Call) -> Result | None:
        self.calls[call.key] = call
        return Result.error("The log is full.") if call.name == "send_mail" else None

    def end(self, key: int, outcome: object) -> None:
        call = self.calls[key]
        assert call.span is not None
        self.lines.append((call.name, call.span.within, "error" if getattr(outcome, "is_error", True) else "ok"))


def test_each_step_has_a_line_in_the_audit_log(project: Path) -> None:
    log = Log()

    async def scene(scene: Scene) -> None:
        scene.executor.lasting.record = log
        told = text(await scene.call("refund_last_invoice", customer="ann"))
        assert "The step mail failed: The log is full." in told, "what cannot be recorded is not sent"

    shop = run(project, scene)
    names = ["find_customers", "list_invoices", "create_refund", "delete_refund"]
    assert [(name, outcome) for name, _, outcome in log.lines] == [(name, "ok") for name in names]
    assert len({within for _, within, _ in log.lines if within}) == 1
    assert [each.split(" ")[0] for each in shop.writes] == ["POST", "DELETE"]


def test_the_operator_is_told_what_a_workflow_calls(project: Path) -> None:
    catalog = Catalog.load(str(project / "shop_mcp"))
    assert workflow_step.explained(catalog, catalog.tool("refund_each")) == (
        "It sends nothing itself. Its steps are found: find_customers, refund: create_refund, mail: send_mail."
        " The user is asked about Create refund (POST /refunds); Delete refund (DELETE /refunds/{refund}) to undo a"
        " step that was done; Send mail (POST /mails)."
    )


def test_limits(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow_runs, "MOST_CALLS", 3)

    async def scene(scene: Scene) -> None:
        told = text(await scene.call("mail_all"))
        assert "It made 3 calls, which is the most that a workflow makes." in told
        assert "again after 100 seconds, which is longer than" in text(await scene.call("forever"))
        scene.shop.faults = {"GET /jobs": [-1]}
        assert "It took longer than 1 seconds" in text(await scene.call("forever"))
        monkeypatch.setattr(workflow_runs, "MOST_BYTES", 10)
        told = text(await scene.call("skipping"))
        assert "more than 10 bytes of outputs" in told

    assert len(run(project, scene).mails) == 2


def test_a_step_sees_no_secret(project: Path) -> None:
    async def scene(scene: Scene) -> None:
        result = await scene.call("refund_last_invoice", customer="ann")
        assert SECRET not in str(result) + str(result.structured)
        await scene.call("forward_note")
        await scene.call("forward_field")

    shop = run(project, scene)
    assert SECRET not in "".join(shop.seen)
    mails = [each for each in shop.writes if each.startswith('POST /mails {"to":"x","text":"key ')]
    assert len(mails) == 2


def test_a_workflow_needs_the_roles_of_its_steps(tmp_path: Path) -> None:
    tools = "- {name: purge, description: Purge., request: DELETE /all, roles: [boss]}\n"
    steps = "steps: [{id: a, call: send_mail, with: {to: x, text: y}}, {call: purge}]"
    tools += f"- {{name: both, description: Both., roles: [clerk], confirm: never, {steps}}}\n"
    tools += f"- {{name: other, description: Both., confirm: never, {steps}}}\n"
    project = generated(tmp_path, tools)

    async def scene(scene: Scene) -> None:
        told = text(await scene.call("both"))
        assert told.startswith("both was not called. The tool purge is not offered: SHOP_ROLES of this server has no")
        assert not scene.executor.services.catalog.has("other"), "its roles are those of its steps"

    assert run(project, scene, {"SHOP_ROLES": "clerk"}).seen == []
