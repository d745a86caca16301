"""Names of tools, derived from their operations: ids, paths, summaries, verbs, shortening.

Pure functions. May import `model` and `base`.
"""
