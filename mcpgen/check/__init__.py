"""Checks of a whole catalog before anything is emitted: the portable profile, too many tools, unused schemes.

They change nothing. May import `lower` and the rooms below it.
"""
