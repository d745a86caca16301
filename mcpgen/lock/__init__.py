"""The lock file of a project, fingerprints of operations, and how operations are recognised after their path has
changed.

This package imports `naming`, `read` and packages of lower layers.
"""
