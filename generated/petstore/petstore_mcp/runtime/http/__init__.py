# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Send HTTP requests and read their responses: connections, deadlines, redirects, retries, pacing and access tokens.

This package also counts the memory and file descriptors that all responses share. No other package opens connections to
an upstream. This package may import `settings` and packages of lower layers.
"""
