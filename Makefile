# make train and make test are all that a fresh clone needs: they install into .venv first.
PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
INSTALLED := .venv/.installed
BENCH := .venv-bench
COVERAGE_TESTS := tests/cheat/test_rules_*.py tests/cheat/test_observation.py tests/bullet/test_bullet_rules.py \
	tests/families/test_rule_sets.py tests/bullet/test_bullet_race.py tests/bullet/test_bullet_hands.py tests/bullet/test_bullet_observation.py tests/families/test_golden.py tests/engine/test_frozen.py \
	tests/bullet/test_bullet_views.py::test_snapshots_go_through_json_and_back_and_play_on_alike \
	tests/policies/test_scripted_forged.py::test_a_number_that_does_not_occur_is_refused

.PHONY: venv locked lock versions examples ray train test test-long test-fast soak agree fuzz survive long-run coverage mutants lint \
	docs site notebooks bench adapters clean

venv: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,dev,docs]"
	touch $@

# .venv with the very files of requirements-lock.txt, and torch
locked:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-lock.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(INSTALLED)

# the newest versions that fit pyproject.toml, with the hashes of their files
lock:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	echo "$$LOCK_HEADER" > .venv-lock/lock.txt
	.venv-lock/bin/uv pip compile --quiet --config-file tools/lock.toml --universal --python-version 3.10 \
		--generate-hashes --no-header --no-annotate --no-emit-package torch --constraints constraints.txt \
		--extra train --extra dev --extra docs pyproject.toml >> .venv-lock/lock.txt
	mv .venv-lock/lock.txt requirements-lock.txt

define LOCK_HEADER
# Everything that bluff-env[train,dev,docs] installs, for Python 3.10 to 3.14, with the hashes of the files on PyPI: made by
# `make lock`, installed by `make locked`, or by hand:
#
#     pip install --no-deps --require-hashes -r requirements-lock.txt
#     pip install -c constraints.txt torch
#     pip install --no-deps --no-build-isolation .
#
# torch is not in it, and nor are the CUDA packages that come with it: its builds for CPUs and for the versions of CUDA
# are different files, from different places, with one version. If you want its hash too, take it from where you get
# your build.
endef
export LOCK_HEADER

# the oldest declared versions of everything, and every supported Python that is installed: four minutes on two cores
versions: $(INSTALLED)
	$(BIN)/python tools/versions.py --jobs $(JOBS)

# the scripts of examples/, each in an environment with its library: `make examples ONLY=torchrl,tianshou` for some
ONLY ?= sb3,torchrl,tianshou,cleanrl,engine,supersuit,agilerl
examples: $(INSTALLED)
	$(BIN)/python tools/examples.py --jobs $(JOBS) --only $(ONLY)

# what needs Ray, in an environment of its own, which takes 75 seconds to make: the tests of tasks, of workers and of RLlib
ray: .venv-ray/.installed
	.venv-ray/bin/python -m pytest tests/training/test_jobs.py tests/training/test_workers.py tests/views/test_rllib.py

.venv-ray/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,rllib]" pytest
	touch $@

train: $(INSTALLED)
	$(BIN)/python -m training.main_job

# the seconds after which a test fails, and says where it stands still; most take less than one
TIMEOUT := --timeout 900

# all tests but those marked as long: under ten minutes on two cores, compilation included
test: $(INSTALLED)
	$(BIN)/python -m pytest -n $(JOBS) $(TIMEOUT) -m "not long"

# the others: whole classes of rule sets, random rules in bulk, many processes. The two together are all tests
test-long: $(INSTALLED)
	$(BIN)/python -m pytest -n $(JOBS) $(TIMEOUT) -m long

# without the tests marked as slow: under two minutes on two idle cores. After an edit of the rules, and the first time
# of all, their compilation comes on top: about a minute
test-fast: $(INSTALLED)
	$(BIN)/python -m pytest -n $(JOBS) $(TIMEOUT) -m "not slow"

# about an hour a core
soak: $(INSTALLED)
	$(BIN)/python tools/soak.py --draws 1000 --games 20

# 100,000 games of sampled rules against the second implementation, about two hours; resumes if it was stopped
agree: $(INSTALLED)
	$(BIN)/python tools/soak.py --only oracle --draws 5000

# damaged and forged files against every loader, and the engine's methods with arguments of all kinds, with the bounds
# of all arrays checked: 20 minutes, then hypothesis
fuzz: $(INSTALLED)
	NUMBA_BOUNDSCHECK=1 BLUFF_ENV_CACHE=$(CURDIR)/.fuzz-cache $(BIN)/python tools/fuzz.py --minutes 15
	NUMBA_BOUNDSCHECK=1 BLUFF_ENV_CACHE=$(CURDIR)/.fuzz-cache $(BIN)/python tools/fuzz_engine.py --minutes 5
	FUZZ_EXAMPLES=3000 $(BIN)/python -m pytest tests/policies/test_loading.py

# training killed at 20 random moments, on a full disk, with half a save: about ten minutes
survive: $(INSTALLED)
	$(BIN)/python tools/survive.py --kills 20

# 10 million decisions in every view of both families: about ten minutes
long-run: $(INSTALLED)
	$(BIN)/python tools/long_run.py

# the rules as plain Python: which branches the tests reach, at least 95% of every file (which ones: pyproject.toml)
coverage: export NUMBA_DISABLE_JIT = 1
coverage: $(INSTALLED)
	$(BIN)/python -m coverage run -m pytest -m "not slow" $(COVERAGE_TESTS)
	$(BIN)/python -m coverage report --show-missing
	@$(BIN)/python -m coverage report --precision=1 | awk '/\.py / && $$NF + 0 < 95 { print $$1 " is below 95%"; low = 1 } END { exit low }'

# some hours: every small wrong change of the rules that has not been tried, against the quick tests, and then what
# survives against the slower ones; resumes if it was stopped
mutants: $(INSTALLED)
	$(BIN)/python tools/mutants.py bullet --quick --budget 2 --longest 2 --jobs $(JOBS)
	$(BIN)/python tools/mutants.py bullet --survivors --budget 60 --longest 30 --jobs $(JOBS)
	$(BIN)/python tools/mutants.py cheat --quick --budget 2 --longest 2 --jobs $(JOBS)
	$(BIN)/python tools/mutants.py cheat --survivors --budget 60 --longest 30 --jobs $(JOBS)

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/mypy experiments docs tools benchmarks
	$(BIN)/python tools/user_types.py
	$(BIN)/lint-imports
	$(BIN)/python tools/layers.py
	$(BIN)/python docs/make_docs.py --check

docs: $(INSTALLED)
	$(BIN)/python docs/make_docs.py

# the documentation as a website, into site/; a warning is an error
site: export NO_MKDOCS_2_WARNING = 1
site: $(INSTALLED)
	$(BIN)/mkdocs build --strict

# the tutorials as notebooks, a few minutes: they run, and print what their pages show
notebooks: $(INSTALLED)
	$(BIN)/python docs/notebooks.py

# the peers that it measures have an environment of their own
bench: $(BENCH)/.installed
	$(BENCH)/bin/python -m benchmarks.run
	$(BENCH)/bin/python docs/make_docs.py

$(BENCH)/.installed: pyproject.toml constraints.txt benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,docs]" -r benchmarks/requirements.txt
	touch $@

# the tests of adapters whose libraries are not in .venv, some minutes: TextArena, verifiers, and OpenSpiel with dm-tree
adapters: .venv-adapters/.installed
	.venv-adapters/bin/python -m pytest tests/adapters tests/views/test_open_spiel.py

.venv-adapters/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-adapters
	.venv-adapters/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[text,verifiers,open-spiel]" pytest torch dm-tree
	touch $@

clean:
	rm -rf .venv .venv-bench .venv-lock .venv-ray .venv-adapters .fuzz-cache build dist site *.egg-info .pytest_cache \
		.mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
