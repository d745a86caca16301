# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Turn the arguments of a call into an HTTP request.

Arguments are checked against their schema, errors are worded for the model, and each parameter and the body are
encoded. The package does no input or output: file contents and random bytes are passed in. May import `core` and
`text`.
"""
