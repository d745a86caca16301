"""Write a `FileTree` to a project's directory, so that at any moment it contains the whole old or the whole new
project.

A run locks the directory (`claim`) and plans the write (`planning`). It writes by two exchanges of whole directories
(`transaction`), or file by file if the system cannot exchange directories (`write`). In the latter case, a killed
run leaves old and new files mixed until the next run.
"""

from mcpgen.regenerate.publish.claim import claimed, told
from mcpgen.regenerate.publish.planning import Plan, edits, plan
from mcpgen.regenerate.publish.present import no_lock, present, previous_lock
from mcpgen.regenerate.publish.write import publish

__all__ = ["Plan", "claimed", "edits", "no_lock", "plan", "present", "previous_lock", "publish", "told"]
