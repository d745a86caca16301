# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Programs that a model writes, and that call tools as functions: their functions, their sandbox, and how one is run.

May import `core` and `text`. Only `sandbox` imports the library, and nothing here sends a request: a call of a program
is made by `calls`.
"""
