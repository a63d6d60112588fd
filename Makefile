# Everything one does with this project. Each target sets up what it needs; the work itself is in scripts/.
SHELL := bash
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help setup page run test test-all coverage bench lock clean

PYTHON_IN_VENV := .venv/bin/python

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-10s %s\n", $$1, $$2 }'

setup: ## make .venv with the locked dependencies and the project in it
	@scripts/setup

page: setup ## build the web page that servers show and the game's items, so that whoever installs this clone has them
	@scripts/web
	@scripts/items

run: setup ## start Glassloop: a server and a page at http://127.0.0.1:8000 (ARGS="--port 9000" for another port)
	@scripts/web || echo "glassloop: the page could not be built; the API works without it" >&2
	@scripts/items || echo "glassloop: the game's items could not be fetched; raids work without their names and sockets" >&2
	@GLASSLOOP_RAIDS_SAMPLE=$${GLASSLOOP_RAIDS_SAMPLE:-true} GLASSLOOP_PLACES_SAMPLE=$${GLASSLOOP_PLACES_SAMPLE:-true} \
		scripts/restarting .venv/bin/glassloop serve $(ARGS)

test: setup ## every check and every test but the slow ones
	@scripts/web
	@scripts/items || true
	@scripts/browser
	@$(PYTHON_IN_VENV) scripts/check.py $(ARGS)

test-all: setup ## the same with the slow tests
	@scripts/web
	@scripts/items || true
	@scripts/browser
	@scripts/agentdojo || true
	@$(PYTHON_IN_VENV) scripts/check.py --all $(ARGS)

coverage: setup ## which lines the tests reach, those in other processes too (.cache/coverage/html)
	@scripts/web
	@scripts/items || true
	@scripts/browser
	@rm -rf .cache/coverage && mkdir -p .cache/coverage
	@$(PYTHON_IN_VENV) scripts/check.py --coverage tests combine html coverage

bench: setup ## every figure beside its bar, a floor and seven peers, on one page (25 minutes; ARGS=--quick: 3; ARGS="loop sse": parts)
	@$(PYTHON_IN_VENV) bench/page.py $(ARGS)

lock: ## write requirements.lock anew from pyproject.toml (ARGS=--upgrade for newer versions)
	@scripts/lock $(ARGS)

clean: ## remove what the other targets made
	rm -rf .venv .bench .cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
	rm -rf web/node_modules web/dist src/glassloop/server/page
	rm -f src/glassloop/extensions/raids/data/items.msgpack.xz src/glassloop/extensions/raids/data/.items
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +
