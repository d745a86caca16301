"""Prepare the text of a document for a model.

Markup and hidden characters are removed, and prompt injection is reported. Sentences that most operations repeat move
to the server's instructions. This package imports no other package of `lower`.
"""
