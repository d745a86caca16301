# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Requests and their answers: connections, deadlines, redirects, retries, pacing and access tokens.

The memory and the descriptors that all answers share are counted here. No other room opens a connection. May import
`settings` and the rooms below it.
"""
