"""Calling an API as the caller: real servers, a mock authorization server, an API that records, at raw sockets."""
