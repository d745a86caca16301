"""Run one server as several processes (replicas), behind a random balancer, with a real store."""
