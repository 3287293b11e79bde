# make train and make test are all that a fresh clone needs: they install into .venv first.
PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
INSTALLED := .venv/.installed
BENCH := .venv-bench
COVERAGE_TESTS := tests/cheat/test_rules_*.py tests/cheat/test_observation.py tests/bullet/test_bullet_rules.py \
	tests/bullet/test_bullet_hands.py tests/bullet/test_bullet_observation.py tests/families/test_golden.py tests/engine/test_frozen.py

.PHONY: venv train test soak fuzz survive long-run coverage mutants lint docs bench clean

venv: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,dev]"
	touch $@

train: $(INSTALLED)
	$(BIN)/python -m training.main_job

test: $(INSTALLED)
	$(BIN)/python -m pytest -n $(JOBS)

# about an hour a core
soak: $(INSTALLED)
	$(BIN)/python tools/soak.py --draws 1000 --games 20

# damaged and forged files against every loader, with the bounds of all arrays checked: 15 minutes, then hypothesis
fuzz: $(INSTALLED)
	NUMBA_BOUNDSCHECK=1 BLUFF_ENV_CACHE=.fuzz-cache $(BIN)/python tools/fuzz.py --minutes 15
	FUZZ_EXAMPLES=3000 $(BIN)/python -m pytest tests/policies/test_loading.py

# training killed at 20 random moments, on a full disk, with half a save: about ten minutes
survive: $(INSTALLED)
	$(BIN)/python tools/survive.py --kills 20

# 10 million decisions in every view of both families: about ten minutes
long-run: $(INSTALLED)
	$(BIN)/python tools/long_run.py

# the rules as plain Python: which branches the tests come to; every file has to reach 95%
RULES := $(foreach family,cheat bullet,$(foreach file,rules game observe,bluff_env/$(family)/$(file).py))
coverage: export NUMBA_DISABLE_JIT = 1
coverage: $(INSTALLED)
	$(BIN)/python -m coverage run -m pytest $(COVERAGE_TESTS)
	$(BIN)/python -m coverage report --show-missing
	@for file in $(RULES); do $(BIN)/python -m coverage report --include=$$file --fail-under=95 > /dev/null || { echo "$$file is below 95%"; exit 1; }; done

# some hours: every small wrong change of the rules, tried against the tests; `--sample 400` takes a part of them
mutants: $(INSTALLED)
	$(BIN)/python tools/mutants.py bullet --write
	$(BIN)/python tools/mutants.py cheat --write

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/make_docs.py --check

docs: $(INSTALLED)
	$(BIN)/python docs/make_docs.py

# the peers that it measures have an environment of their own
bench: $(BENCH)/.installed
	$(BENCH)/bin/python -m benchmarks.run
	$(BENCH)/bin/python docs/make_docs.py

$(BENCH)/.installed: pyproject.toml constraints.txt benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train]" -r benchmarks/requirements.txt
	touch $@

clean:
	rm -rf .venv .venv-bench .fuzz-cache build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
