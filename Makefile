# One command a job. Needs Python 3.11 or newer and make; uses uv when it is there.
VENV = .venv
BIN = $(VENV)/bin
WORKERS = 2
PYTEST = $(BIN)/python -m pytest -n $(WORKERS)

.PHONY: help demo test test-all fuzz check docs readers schemas scorers screenshots bench validity mutants clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.demo ## two prompts of a small model, run here and compared (under 4 minutes)
	@$(BIN)/aliquot demo --live

test: $(VENV)/.dev ## the tests that need no heavy part (under 10 minutes on two cores)
	@$(PYTEST) -m "not heavy and not model"

test-all: test ## the same, then what takes minutes, a browser or the model
	@sh tools/browser
	@$(BIN)/aliquot model
	@$(PYTEST) -m "heavy or model"

fuzz: $(VENV)/.dev ## changed and broken logs against every reader, 20,000 examples a test (hours)
	@$(PYTEST) -m hypothesis --hypothesis-profile=fuzz tests/readers tests/files

check: $(VENV)/.dev ## format, lint, types, and the rules on who imports whom
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports

docs: $(VENV)/.dev ## the documentation as HTML in docs/_build; a warning is an error
	@$(BIN)/sphinx-build -W --keep-going -q -E -b html docs docs/_build
	@echo "docs/_build/index.html"

readers: $(VENV)/.dev ## every shared log read, beside what its tool printed; writes docs/readers.md
	@$(BIN)/python docs/make_readers_table.py

schemas: $(VENV)/.dev ## the JSON Schema of every kind of finding; writes docs/schemas
	@$(BIN)/python docs/make_schemas.py

scorers: $(VENV)/.dev ## every scorer rule with its settings; writes docs/scorers.md
	@$(BIN)/python docs/make_scorers.py

screenshots: $(VENV)/.dev ## the pictures of the report and the labelling page, taken in Chromium; writes docs/images
	@sh tools/browser
	@$(BIN)/python docs/make_screenshots.py

bench: $(VENV)/.dev ## every benchmark; writes docs/benchmarks.md
	@$(BIN)/python -m benchmarks.run

validity: $(VENV)/.dev ## coverage and size of every method, in full; writes docs/validity.md (an hour)
	@$(BIN)/python -m tests.validity

mutants: $(VENV)/.dev ## 400 mutants of the statistics against their tests; writes docs/mutants.md
	@$(BIN)/python -m benchmarks.mutants

clean: ## everything the other commands made, the environment included
	rm -rf $(VENV) build dist docs/_build .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.demo: pyproject.toml tools/environment
	@sh tools/environment $(VENV) -e '.[local]'
	@touch $@

$(VENV)/.dev: pyproject.toml tools/environment
	@sh tools/environment $(VENV) -e '.[local,dev,docs]'
	@touch $@
