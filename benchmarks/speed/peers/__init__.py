"""The programs that servers of ours are measured beside, each run by the environment of its own."""
