"""Speed, measured side by side in one run: servers of ours, those of others for the same document, and floors that no
server can be below. Ratios count; milliseconds are of the machine that they were measured on.

`__main__.py` is the command; a file for each family of cases: `start`, `calls`, `arguments`, `memory`, `http_calls`,
`idle`, `compiling`, `size`. `programs.py` installs what is measured, `process.py`, `pipe.py` and `connection.py` run
it, `turns.py` has all take turns. What is found is kept in `benchmarks/results.json`, of which `table.py` and `plot.py`
make what README and docs show.
"""
# Decision 0159: Measured and left out.
