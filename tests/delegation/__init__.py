"""Test servers that call an API with the rights of their caller: real servers, a mock authorization server, and a
recording API.
"""
