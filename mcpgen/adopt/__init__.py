"""Read the configuration of another program that serves an API by MCP, and write a tools file for the same server.

`sources` finds the server's configuration, and `programs` and `script` read it as a `ForeignServer`. `names` derives
the tool names that the other program gives, and `toolsfile` writes a tools file that keeps these names.
"""
