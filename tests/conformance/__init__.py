"""The official conformance suite, against a server made from a tools file."""
