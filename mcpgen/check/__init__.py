"""Check a whole catalog before anything is emitted: the portable profile, too many tools, unused schemes.

Failing tools are taken out; nothing else changes. This room imports `lower` and the rooms below it.
"""
