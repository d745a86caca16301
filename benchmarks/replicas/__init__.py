"""Run one server as several processes (replicas) behind a balancer that picks one at random, with a real
Redis store.
"""
