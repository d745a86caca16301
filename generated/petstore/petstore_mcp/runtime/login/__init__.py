# Part of the mcpgen runtime: copied into every generated server. Edits are lost when it is generated again.
"""Wing: log a user in. OAuth 2 flows that need a person, and the stored tokens that let a server stay logged in.

Loaded by the commands `login`, `logout` and `whoami`, and by the first call whose credential can come from a login. The
library keyring is only imported inside functions.
"""
