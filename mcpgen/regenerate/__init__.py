"""Compile for an existing project: read its state, rate each change (breaking, additive or cosmetic), continue its
changelog, and write its files.

This package imports `pipeline` and packages of lower layers. Its modules, from the lowest: `diff`, `publish`,
`orphan_hooks` and `release_notes`; then `changelog`, `lost_lock` and `projects`; then `regenerate`.
"""
