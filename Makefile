# Two commands on a fresh machine: `make demo` and `make test`. Every target sets up first what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test test-llm test-neo4j-latest lint bench soak clean

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(READY)

demo: $(READY)
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile $(PYTEST_OPTIONS)

# A real small language model: compiles its server (about 15 minutes) and fetches a gigabyte, both once.
test-llm: $(READY)
	CLEW_TEST_LLM=1 $(BIN)/python -m pytest tests/llm $(PYTEST_OPTIONS)

# The calendar release of Neo4j, which needs Java 21 or later: CLEW_TEST_JAVA_HOME, JAVA_HOME or an installed JDK.
test-neo4j-latest: $(READY)
	CLEW_TEST_NEO4J_URI= CLEW_TEST_NEO4J_VERSION=2026.08.1 $(BIN)/python -m pytest tests/contract -k neo4j $(PYTEST_OPTIONS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python -m graphrag.evaluation.speed

soak: $(READY)
	CLEW_SOAK=1 $(BIN)/python -m pytest tests/crash tests/property tests/security $(PYTEST_OPTIONS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist *.egg-info
