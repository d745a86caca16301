# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Answers to results of tools: removed fields, output schemas, pages, results that are kept for reading on, and the
words for a failure.

May import `http` and the rooms below it.
"""
