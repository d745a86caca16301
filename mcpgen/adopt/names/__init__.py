"""Derive the tool names that other programs give to the operations of a document. Each module follows the source code
of one program.
"""
