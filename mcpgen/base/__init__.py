"""Leaves of the compiler: diagnostics, errors, JSON values, rules for names and addresses, a tree of files.

They know neither APIs nor tools. May import no other room.
"""
