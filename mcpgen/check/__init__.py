"""Check a whole catalog before it is emitted: the portable profile, too many tools, unused security schemes.

Tools that fail a check are removed; nothing else changes. This package imports `lower` and the packages below it.
"""
