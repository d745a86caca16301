"""Run the official conformance suite against a server that is generated from a tools file."""
