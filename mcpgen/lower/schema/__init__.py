"""Convert schemas of a document to schemas that every client takes, with words for what these cannot say.

Imports `lower/text`.
"""
