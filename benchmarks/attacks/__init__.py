"""Try attacks and faults on generated servers and on another project's server: `python -m benchmarks.attacks`."""
