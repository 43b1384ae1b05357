# Two commands to begin with: `make ask Q="will 16k context fit on 4×A100?"` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LOCKS := deploy/requirements
Q ?= will 16k context fit on 4×A100?

.PHONY: help setup ask test test-vllm smoke-emulator check lock docs

help:            ## what there is to make
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 20

$(VENV)/.bot: $(LOCKS)/bot.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if (3, 11) <= sys.version_info[:2] <= (3, 13) else "Python 3.11 to 3.13 is needed; this is " + sys.version.split()[0] + ": make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCKS)/bot.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.bot $(LOCKS)/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCKS)/dev.txt
	@touch $@

setup: $(VENV)/.dev   ## the bot and everything its tests need, in .venv

ask: $(VENV)/.bot     ## ask one question: make ask Q="…"
	@$(BIN)/tuning-bot ask -- "$$Q"

test: $(VENV)/.dev    ## all tests with coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

test-vllm: $(VENV)/.dev   ## only the tests against a real vLLM, installed when missing
	$(BIN)/pytest -q -m vllm

smoke-emulator: $(VENV)/.dev   ## the bot against a third-party Slack emulator (npm, root, a network namespace)
	$(BIN)/python tests/smoke/slack_emulator.py

check:           ## everything that CI checks
	./.ci/run

docs: $(VENV)/.dev    ## regenerate the README's tables
	$(BIN)/cog -r README.md

lock: $(VENV)/.dev    ## lock the dependencies again: exact versions and hashes, no registry named
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header pyproject.toml -o $(LOCKS)/bot.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --group dev -c $(LOCKS)/bot.txt -o $(LOCKS)/dev.txt

export Q
