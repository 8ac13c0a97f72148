# SPDX-License-Identifier: MIT
# The commands of a developer. Each sets up what it needs from PyPI in $(VENV),
# without root; what is done already is not done again.

VENV ?= .venv
PYTHON ?= python3
# Extra arguments of pip, for example another index for torch.
PIP_ARGS ?=
# The package asks for a range; development pins one release, because the
# newest torch may be a build of several GB for another device.
TORCH ?= torch==2.13.0
JOBS ?= 2
# Names of measurements (benchmarks/measure_*.py); all of them take half an hour.
FIGURES ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS)
BUILD_REQUIREMENTS := "setuptools>=77" wheel "ninja>=1.11" "pybind11>=2.13"
LIBRARY_SOURCES := setup.py $(shell find csrc metal -type f)
CPP_TESTS := $(wildcard tests/cpp/*)
VENV_READY := $(VENV)/.development

.DEFAULT_GOAL := help
.PHONY: help setup build demo cpp-tests test format figures docs clean lint \
  lint-python lint-spelling lint-structure lint-format lint-types lint-docs lint-metal lint-tidy

help:
	@echo "make demo     train a small GPT through our kernels and torch's"
	@echo "make test     all tests, Python and C++"
	@echo "make lint     formatters, linters, types, structure"
	@echo "make format   rewrite the sources as the formatters want them"
	@echo "make figures  measure the figures of docs/verification.md again"
	@echo "make docs     render the generated tables of the documentation"
	@echo "make wheel-macos, make audit-macos   cross-build the macOS wheel, audit it"
	@echo "Variables: VENV=$(VENV) PYTHON=$(PYTHON) PIP_ARGS=$(PIP_ARGS) TORCH=$(TORCH)"

# Set-up and build ---------------------------------------------------------------

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.torch: | $(BIN)/python
	$(PIP) $(TORCH) $(BUILD_REQUIREMENTS)
	touch $@

# Installs in place: python imports the package from this folder.
$(VENV)/.package: pyproject.toml $(VENV)/.torch
	$(PIP) --no-build-isolation --editable ".[demo]"
	touch $@

$(VENV)/.libraries: $(LIBRARY_SOURCES) $(VENV)/.package
	$(BIN)/python setup.py --quiet build_ext --inplace --parallel $(JOBS)
	touch $@

$(VENV)/.development: $(VENV)/.package
	$(PIP) --no-build-isolation --editable ".[dev,demo]"
	touch $@

setup: $(VENV)/.development
build: $(VENV)/.libraries

# What a user runs ---------------------------------------------------------------

demo: build
	$(BIN)/python -m demo

# What a developer runs ----------------------------------------------------------

$(VENV)/.cpp_tests: $(VENV)/.libraries $(VENV)/.development $(CPP_TESTS) tools/build_cpp_tests.py
	$(BIN)/python -m tools.build_cpp_tests --jobs $(JOBS)
	touch $@

cpp-tests: $(VENV)/.cpp_tests

test: build $(VENV)/.cpp_tests
	$(BIN)/python -m pytest -n $(JOBS) $(PYTEST_ARGS)

# "make -k lint" goes on after a finding and shows those of every part.
lint: lint-python lint-spelling lint-structure lint-format lint-types lint-docs lint-metal \
  lint-tidy

lint-python: $(VENV_READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

lint-spelling: $(VENV_READY)
	$(BIN)/codespell

lint-structure: $(VENV_READY)
	$(BIN)/python -m tools.check_structure

lint-format: $(VENV_READY)
	$(BIN)/python -m tools.check_format

lint-types: $(VENV_READY)
	$(BIN)/mypy

lint-docs: build $(VENV_READY)
	$(BIN)/python -m tools.render_docs --check

# Every Metal text that the package can generate, by the dialect check.
lint-metal: build $(VENV_READY)
	$(BIN)/python -m tools.check_generated_metal --jobs $(JOBS)

lint-tidy: build cpp-tests
	$(BIN)/python -m tools.run_clang_tidy --jobs $(JOBS)

format: $(VENV)/.development
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m tools.check_format --fix

figures: build $(VENV)/.cpp_tests
	$(BIN)/python -m benchmarks $(FIGURES)
	$(BIN)/python -m tools.render_docs

docs: build $(VENV)/.development
	$(BIN)/python -m tools.render_docs

clean:
	rm -rf build dist *.egg-info flash_attn_mps/*.so flash_attn_mps/*.dylib
	rm -f $(VENV)/.libraries $(VENV)/.cpp_tests $(VENV)/.package

include tools/macos/macos.mk
