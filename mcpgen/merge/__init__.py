"""Combine several API descriptions, and the settings of the server's owner, into one API.

The settings are the owner's own tools, overrides, options, a base URL and logins. This package imports `naming`, `read`
and packages of lower layers.
"""
