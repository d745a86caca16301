"""The rig of replicas: one server as several processes, behind a balancer that picks at random, with a real store."""
