"""Derive the names that other tools give to the operations of a document, each as its own source does."""
