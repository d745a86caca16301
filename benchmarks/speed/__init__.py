"""Measure speed in one run: our servers, those of others for the same document, and lower limits that no server can
beat.

Compare the ratios: milliseconds depend on the machine. `__main__.py` is the command. Each family of cases has a file:
`start`, `calls`, `arguments`, `memory`, `http_calls`, `idle`, `compiling`, `size`. `programs.py` installs the measured
programs. `process.py`, `pipe.py` and `connection.py` run them, and `turns.py` lets all take turns. Results are stored
in `benchmarks/results.json`; `table.py` and `plot.py` render them for README and docs.
"""
# Ideas that were measured and did not pay are listed, too (docs/decisions/speed.md).
