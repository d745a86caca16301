"""Attacks and faults, tried on generated servers and on a peer's: `python -m benchmarks.attacks`."""
