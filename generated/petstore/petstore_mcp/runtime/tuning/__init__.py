# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Performance tricks: one module for each trick. Its docstring names the trick's gain, risk and test. This package may
import no other package.

No trick changes what a server does. `MCPGEN_TUNING=0` in the environment disables all of them. This includes
`http/connections.py`, which handles requests and so cannot be in this package. Set the variable if you suspect that
a trick causes a fault.
"""

import os

# If a trick might cause a fault, this switch shows within a minute whether the fault remains without it
# (docs/decisions/speed.md).
ON = os.environ.get("MCPGEN_TUNING") != "0"
"""Whether the performance tricks are enabled."""
