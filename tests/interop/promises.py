"""List the tools of `promises.tools.yaml` with their expected results. They are called without arguments.

This module contains only data.
"""

from __future__ import annotations

from typing import Any

COUNTS = {"cat": 4, "dog": 3, "rabbit": 2, "bird": 2, "tortoise": 1}
ADDRESS = {"city": "Lyon", "country": "FR"}
NOTES = "Walks twice a day, never past the café on Mill Lane.\n"
#: Name of a tool → its expected structured value, and True if the call must fail instead.
EXPECTED: dict[str, Any] = {
    "kept": COUNTS,
    "of_another_type": {
        "_unexpected": {"/id": 1, "/pet_ids/0": 6},
        "status": "pending",
        "pet_ids": [None],
        "applicant": {"name": "Ada Martin", "email": "ada@home.example", "address": ADDRESS},
        "extras": ["carrier"],
        "visit_on": "2026-01-31",
        "message": None,
        "newsletter": False,
        "created_at": "2026-01-20T18:30:00Z",
    },
    "no_list": COUNTS,
    "no_number": {"_unexpected": {"/value": COUNTS}},
    "text": {"_text": NOTES},
    "nothing": {"_text": "Done (HTTP 204 No Content)."},
    "image": {"_text": "The content has a block of type image."},
    "not_found": None,
    "by_hand": COUNTS,
    "broken_by_hand": None,
    "nothing_by_hand": {},
}
