"""Convert schemas of a document to schemas that every client accepts. Constraints that such schemas cannot express go
into descriptions.

Imports `lower/text`.
"""
