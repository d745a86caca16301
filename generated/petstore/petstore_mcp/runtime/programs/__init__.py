# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Run programs that a model writes and that call tools as functions: typed functions, a sandbox, and the serialization
of programs that wait for the user.

May import `core` and `text`. Only `sandbox` imports the library pydantic-monty. No module here sends a request: the
package `calls` carries out the tool calls of a program.
"""
