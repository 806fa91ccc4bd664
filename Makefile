# The commands of a checkout. Each of them first makes .venv ready (scripts/setup), which takes no time when it is.
.DEFAULT_GOAL := help
.PHONY: help setup run test check format bench bench-instructions signature native-tests sanitize fuzz perft clean

SECONDS ?= 120
PY := .venv/bin/python
CMAKE := .venv/bin/cmake
JOBS := $(shell nproc 2>/dev/null || echo 2)
TESTED := g++:g++ javac:default-jdk-headless node:nodejs pg_ctlcluster:postgresql chromium:chromium npm:npm \
  pdftotext:poppler-utils git:git /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc:fonts-noto-cjk
CPP := $(shell find native src -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
PRETTIER := .venv/node/node_modules/.bin/prettier --log-level warn "{src,examples,tests}/**/*.js"

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1@/p' Makefile | awk -F@ '{ printf "%-27s%s\n", $$1, $$2 }'

setup:  ## .venv, system packages and the compiled core
	@scripts/setup

run: setup  ## the web arena; it says where it is
	@.venv/bin/ludus serve

test: setup  ## everything that is tested
	@$(MAKE) --no-print-directory -j2 native-tests sanitize  # one is compiled while the other runs
	@scripts/setup $(TESTED)
	@scripts/node
	$(PY) -m pytest -n $(JOBS) --dist worksteal  # a module stays together, with its server and browser

check: setup  ## format, lines of at most 120, lint and types
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/clang-format --dry-run --Werror $(CPP)
	.venv/bin/mypy
	@scripts/setup node:nodejs npm:npm
	@scripts/node
	$(PRETTIER) --check
	@! LC_ALL=C.UTF-8 grep -rnE --include='*.js' '.{121,}' src examples tests
	.venv/node/node_modules/.bin/tsc --project tests/tsconfig.json

format: setup  ## put every file into its format
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .
	.venv/bin/clang-format -i $(CPP)
	@scripts/setup node:nodejs npm:npm
	@scripts/node
	$(PRETTIER) --write

native-tests: setup  ## the core's own tests, tuned to this machine
	@env -u MAKEFLAGS $(CMAKE) --build build/module --target native_tests playouts searches  # no jobs of make in ninja
	build/module/native_tests src/ludus/games

sanitize: setup  ## the same under AddressSanitizer and UBSan, without any x86 extension
	@$(CMAKE) -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja \
	  -DCMAKE_BUILD_TYPE=Debug -DLUDUS_SANITIZE=ON -DLUDUS_TUNE=OFF >/dev/null
	@env -u MAKEFLAGS $(CMAKE) --build build/sanitize --target native_tests
	build/sanitize/native_tests src/ludus/games --quick

bench: setup  ## plies per second of each game beside its Python reference
	$(PY) bench/plies.py

signature: setup  ## write down what the engine finds now, after a change that means to change it
	$(PY) -c "from ludus.search.bench import write_signatures; write_signatures()"

bench-instructions: native-tests  ## instructions per ply and per node, under callgrind
	@scripts/setup valgrind:valgrind
	$(PY) bench/instructions.py

fuzz: setup  ## longer fuzzing of every reader, coverage-guided: make fuzz SECONDS=600
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt atheris
	$(PY) tests/fuzz_parsers.py -max_total_time=$(SECONDS) -timeout=5

clean:  ## forget everything that was built
	rm -rf .venv build
