"""Benchmarks of generated servers and of the compiler, beside other projects measured in the same run.

Compare the ratios: milliseconds depend on the machine.
"""
