"""Read the configuration of another tool that serves an API description, and write a tools file for the same server.

`sources` finds the server's configuration, and `programs` and `script` read it as a `ForeignServer`. `names` derives
the names that the other tool gives, and `toolsfile` writes a tools file that keeps these names.
"""
