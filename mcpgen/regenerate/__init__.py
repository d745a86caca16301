"""Compiles over a project that is there: its state, the graded difference, the history, and the write.

May import `pipeline` and the rooms below it.
"""
