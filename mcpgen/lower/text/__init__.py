"""Text of a document made fit for a model: markup, hidden characters, prompt injection, repeated sentences.

May import no other room of `lower`.
"""
