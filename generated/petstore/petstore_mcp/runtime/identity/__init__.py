# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Identify callers by their access tokens: this server is an OAuth 2 resource server (RFC 6750, RFC 9068, RFC 9728).

This package may import `text`, `core`, `request`, `settings` and `http`, and joserfc, which checks signatures. It is
imported only by a server that uses the HTTP transport, and only if an issuer is set.
"""
