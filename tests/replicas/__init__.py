"""Test replicas of one server, as real processes behind a real balancer with a real store."""
