"""Programs that our servers are compared with, each run in its own environment."""
