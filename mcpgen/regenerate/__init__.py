"""Compile over an existing project: its state, the graded difference, the changelog, and the write.

This room imports `pipeline` and the rooms below it. Its own floors: `diff`, `publish`, `orphan_hooks` and
`release_notes`; then `changelog` and `projects`; then `regenerate`.
"""
