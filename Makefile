# Two commands on a fresh machine: `make demo` and `make test`. Every target sets up first what it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test test-llm test-neo4j-latest lint bench bench-storage soak clean

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

# The stores at a million chunks (SCALE=0.1: a tenth), beside the Neo4j of the tests where Java and Maven are found. What
# is built stays in BENCH_FOLDER (about 10 GB) and is measured again by the next run.
SCALE ?= 1
BENCH_FOLDER ?= build/bench-storage
bench-storage: $(READY)
	$(BIN)/python tests/with_neo4j.py $(BENCH_FOLDER)/neo4j \
		$(BIN)/python -m graphrag.evaluation.speed_storage --folder $(BENCH_FOLDER) --scale $(SCALE) $(BENCH_OPTIONS)

# The stated sizes of SECURITY's table and 1,000 seeds of the simulation: hours, and with SOAK_TMP=/dev/shm (a folder in
# memory, of which it takes some gigabytes) less. The figures are printed at the end and written to build/soak.md.
# CLEW_SIMULATION_SEED=N runs one seed; SOAK_TESTS=tests/crash a part.
SOAK_TMP ?=
SOAK_TESTS ?= tests/crash tests/property tests/security
soak: $(READY)
	CLEW_SOAK=1 $(if $(SOAK_TMP),TMPDIR=$(SOAK_TMP)) $(BIN)/python -m pytest --numprocesses 2 --dist worksteal $(SOAK_TESTS) $(PYTEST_OPTIONS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist *.egg-info
