"""Prepare the text of a document for a model: markup, hidden characters, prompt injection, repeated sentences.

Imports no other package of `lower`.
"""
