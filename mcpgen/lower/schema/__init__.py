"""Schemas of a document as schemas that every client takes, with words for what these cannot say.

May import `lower/text`.
"""
