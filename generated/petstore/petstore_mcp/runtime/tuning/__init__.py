# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Tricks of performance: one module each, with its figure, its risk and its test. May import no other folder.

None of them changes what a server does. `MCPGEN_TUNING=0` in the environment turns all of them off,
`http/direct_requests.py` too, which knows requests and so is no part of this folder. Try it where you suspect a trick.
"""

import os

# Decision 0188: Performance tricks have one folder and one switch.
ON = os.environ.get("MCPGEN_TUNING") != "0"
"""Whether the tricks are used."""
