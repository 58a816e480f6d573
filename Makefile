# Needs Python 3.11 or later. Everything is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test test-long lint fuzz-files fuzz-robots fuzz-faults fuzz-steps docs-figures clean

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

.venv: $(STAMP)

demo: $(STAMP)
	$(BIN)/pliant run silicone-arm --out runs/demo
	$(BIN)/pliant native silicone-arm
	@echo "The page is $(CURDIR)/runs/demo/index.html"

lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2 -m "not long"

test-long: $(STAMP)
	$(BIN)/pytest -m long
	$(BIN)/pliant validate --out runs/validation

fuzz-files: $(STAMP)
	$(BIN)/python -m fuzz.files --count 100000

fuzz-robots: $(STAMP)
	$(BIN)/python -m fuzz.robots --structures 40 --sets 50 --processes 2

fuzz-faults: $(STAMP)
	$(BIN)/python -m fuzz.faults --count 100

fuzz-steps: $(STAMP)
	$(BIN)/python -m fuzz.steps --count 50

docs-figures: $(STAMP)
	$(BIN)/python examples/make_readme_figure.py
	$(BIN)/python examples/make_validation_table.py

clean:
	rm -rf .venv runs build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
