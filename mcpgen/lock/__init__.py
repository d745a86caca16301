"""The lock file of a project, fingerprints of operations, and the matching of moved operations.

This room imports `naming`, `read` and the rooms below them.
"""
