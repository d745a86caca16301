"""Write a `FileTree` to a directory of ours, which at any moment holds the whole old or the whole new project.

A run claims the directory, plans the write, and writes it: by two exchanges of whole directories (`transaction`), or
file by file where a system has no exchange (`stepwise`).
"""

from mcpgen.regenerate.publish.claim import claimed, told
from mcpgen.regenerate.publish.planning import Plan, edits, plan
from mcpgen.regenerate.publish.present import present, previous_lock
from mcpgen.regenerate.publish.write import publish

__all__ = ["Plan", "claimed", "edits", "plan", "present", "previous_lock", "publish", "told"]
