"""Handlers for adoptions, and the replay of responses to requests that are repeated."""

from __future__ import annotations

import hashlib
import json

from mcpgen.demo.api import Given, Handler, Refusal, invalid, missing, reply
from mcpgen.demo.checks import Fault
from mcpgen.demo.http import Answer
from mcpgen.demo.petstore.store import Row, Store


def request_adoption(store: Store, given: Given) -> Answer:
    form = given["body"]
    pets = {key: store.one("pets", id=key) for key in form["pet_ids"]}
    unknown = [
        Fault("body", f"/pet_ids/{place}", f"is no pet: {key}") for place, key in enumerate(pets) if pets[key] is None
    ]
    if unknown:
        raise invalid(unknown)
    taken = [f"pet {key} is {pet['status']}" for key, pet in pets.items() if pet and pet["status"] != "available"]
    if taken:
        raise Refusal(409, "conflict", f"All pets must be available, but {', '.join(taken)}.")
    for key in pets:
        store.change("pets", key, status="pending")
    adoption = store.put("adoptions", status="pending", **form, created_at=store.now())
    return reply(_shown(store, adoption), 202, Location=f"/v1/adoptions/{adoption}")


def get_adoption(store: Store, given: Given) -> Answer:
    return reply(_shown(store, given["adoptionId"]))


def _shown(store: Store, key: int) -> Row:
    if (adoption := store.one("adoptions", id=key)) is None:
        raise missing(f"There is no adoption {key}.")
    return adoption


def once(handler: Handler[Store]) -> Handler[Store]:
    """Return a handler with idempotency keys: if an `Idempotency-Key` is repeated, it replays the first response and
    changes nothing.
    """

    def replayed(store: Store, given: Given) -> Answer:
        operation, key = handler.__name__, given["Idempotency-Key"]
        if key is None:
            return handler(store, given)
        digest = hashlib.sha256(json.dumps(given["body"], sort_keys=True).encode()).hexdigest()
        before = store.one("replays", operation=operation, key=key)
        if before is None:
            answer = handler(store, given)
            kept = {"status": answer.status, "headers": [list(pair) for pair in answer.headers], "body": answer.body}
            store.put("replays", operation=operation, key=key, digest=digest, **kept)
            return answer
        if before["digest"] != digest:
            raise invalid([Fault("header", "Idempotency-Key", f"was used for another body; take a new key than {key}")])
        return Answer(
            before["status"],
            "application/json",
            before["body"],
            tuple((name, value) for name, value in before["headers"]),
        )

    return replayed
