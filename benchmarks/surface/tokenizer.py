"""Count o200k tokens with the tokenizer of npm `gpt-tokenizer`, in its own process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.interop import environments

PACKAGES = {"gpt-tokenizer": "4.0.0"}
COUNTER = Path(__file__).with_name("count.mjs")


class Unavailable(Exception):
    """Raised if the tokenizer is not installed. The message says why."""


def count(texts: list[str]) -> list[int]:
    """Return the number of tokens of each text. Raise Unavailable if node or the package is missing."""
    try:
        environment = environments.node("tokenizer", PACKAGES)
    except (environments.Missing, RuntimeError, OSError, subprocess.SubprocessError) as failure:
        raise Unavailable(str(failure)[-300:]) from failure
    script = environments.put_beside(environment, COUNTER)
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    command = ["node", str(script)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [int(line) for line in done.stdout.split()]
