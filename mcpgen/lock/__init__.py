"""The lock file of a project, fingerprints of operations, and the matching of operations by them.

May import `naming`, `read` and the rooms below them.
"""
