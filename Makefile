# Two commands for a newcomer: `make demo` and `make test`. Each makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One worker more than processors, at most 8: some tests wait for what a server does after a while.
WORKERS = $(shell $(PYTHON) -c 'import os; print(min(8, 1 + (os.cpu_count() or 1)))')
TESTS = $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# Tests are compiled once and kept, also where the environment says otherwise: to do it in each run takes 20 s.
unexport PYTHONDONTWRITEBYTECODE

# `locked` installs the releases of requirements.lock, by their hashes; `newest` the newest that pyproject.toml allows.
RELEASES ?= locked
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-slow test-all test-newest lock install-locked install-newest lint types unit docs bench clean

demo: $(READY)
	@$(BIN)/mcpgen demo

test: lint types unit

# What takes longer: real peers and documents, kills and grammars. Then all, with products and frameworks of others.
test-slow: $(READY)
	$(TESTS) -m "slow and not world"

test-all: lint types
	$(TESTS)

# A new release of a dependency may fail here, and only here.
test-newest:
	$(MAKE) test VENV=.venv-newest RELEASES=newest

# Write requirements.lock anew, with the newest releases that pyproject.toml allows, for Python 3.11 and newer.
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --generate-hashes \
	  --no-annotate --custom-compile-command 'make lock' --output-file requirements.lock pyproject.toml

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

unit: $(READY)
	$(TESTS) -m "not slow and not world"

# The site, in docs/_build. A warning is an error, and so is a link that leads nowhere; addresses elsewhere are not asked.
docs: $(READY)
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -b html docs docs/_build
	@echo "open docs/_build/index.html"

# Installs the others beside ours and measures all in turns: the tables of README and docs and their picture, on this machine.
bench: $(READY)
	$(BIN)/python -m benchmarks.speed --write

$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mcpgen needs Python 3.11 or newer; say which: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(MAKE) --no-print-directory install-$(RELEASES)
	@touch $@

# hatchling, which builds the package, is one of the locked packages, so that nothing else is fetched for the build.
install-locked:
	$(PIP) --require-hashes --requirement requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .

install-newest:
	$(PIP) --upgrade --upgrade-strategy eager --editable '.[dev]'

clean:
	rm -rf .venv .venv-newest .venv-lock .clients .products .mypy_cache .pytest_cache .ruff_cache
