# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Decide by a response of the upstream whether a job is still working, has succeeded, or has failed.

An HTTP error status that the conditions in the tools file name decides first, then any other error status, then these
conditions. Without a condition for success, a redirect means success. The HTTP status 202 means that the job is
working, unless a member such as `status` says `failed`. For other responses, a member `done` decides, as in Google's
operations. Without `done`, a word such as `succeeded` in a member such as `status` decides. Pure functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.jsonrpc import NotJSON, loads
from ..core.wire_formats import ABSENT
from ..http.sending import STATUSES
from ..pointers.conditions import any_holds, names_status
from ..pointers.pointers import find
from ..text.sanitize import brief, decode
from . import job_words

if TYPE_CHECKING:
    from ..http.exchange import Response
    from ..tables.table import TaskRule

WORKING, DONE, FAILED, GONE = "working", "done", "failed", "gone"

LONGEST_MESSAGE = 200

_BROKEN = job_words.BROKEN | {"canceling"}
_GONE = (404, 410)
_MESSAGES = ("/message", "/statusMessage", "/status_message", "/error/message", "/detail")


def value_of(answer: Response) -> Any:
    """Return the JSON value of a response, or ABSENT if it is not JSON or is incomplete."""
    if answer.partial or not answer.size:
        return ABSENT
    try:
        return loads(decode(answer.content, answer.header("content-type"))[0])[0]
    except NotJSON:
        return ABSENT


def judge(rule: TaskRule, answer: Response, value: Any) -> str:
    """Return the state of a job: WORKING, DONE, FAILED, or GONE if the upstream does not know the job any more."""
    done, failed = rule.get("done", ()), rule.get("failed", ())
    if answer.status >= 400 and names_status(done, answer.status):
        return DONE  # many APIs answer 404 once a deletion that takes long is complete
    if answer.status >= 400 and names_status(failed, answer.status):
        return FAILED
    if answer.status in _GONE:
        return GONE
    if answer.status == 429 or answer.status >= 500:
        return WORKING  # the error may be temporary, so the job may still be working
    if any_holds(failed, answer.status, value) or answer.status >= 400:
        return FAILED
    if "done" in rule:
        if any_holds(done, answer.status, value):
            return DONE
        return FAILED if "failed" not in rule and _word(value) in _BROKEN else WORKING
    return _usual(answer, value)


def message(rule: TaskRule, value: Any) -> str:
    """Return the upstream's words about the state of a job, or ""."""
    places = (rule["message"],) if "message" in rule else _MESSAGES
    found = (find(value, place) for place in places) if isinstance(value, dict) else ()
    return next((brief(str(each), LONGEST_MESSAGE) for each in found if isinstance(each, str) and each.strip()), "")


def _usual(answer: Response, value: Any) -> str:
    """Return the state of a job by common conventions of APIs, such as HTTP status 202 for a job that is working.

    Call this only if the tool's owner has set no condition for success.
    """
    if answer.status in STATUSES:
        return DONE
    if answer.status == 202:
        return FAILED if _word(value) in _BROKEN else WORKING
    if isinstance(value, dict) and isinstance(value.get("done"), bool):
        return WORKING if not value["done"] else FAILED if value.get("error") else DONE
    word = _word(value)
    if not word or word in job_words.ENDED:
        return DONE
    return FAILED if word in _BROKEN else WORKING


def _word(value: Any) -> str:
    """Return the word that names the state of a job, in lower case without punctuation, or ""."""
    for each in (value, *(value.get(name) for name in job_words.INNER)) if isinstance(value, dict) else ():
        members = each.items() if isinstance(each, dict) else ()
        for name, word in members:
            if name.replace("_", "").lower() in job_words.NAMES and isinstance(word, str) and word:
                return "".join(filter(str.isalnum, word[:60])).lower()
    return ""
