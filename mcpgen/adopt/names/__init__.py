"""Derive the names that other tools give to the operations of a document. Each module follows the source code of one
tool.
"""
