"""The lock file of a project, fingerprints of operations, and how operations are recognised after a move.

This room imports `naming`, `read` and the rooms below them.
"""
