# The commands of a checkout. Each of them first makes .venv ready (scripts/setup), which takes no time when it is.
.DEFAULT_GOAL := help
.PHONY: help setup run test check check-types check-pages format bench bench-instructions signature tables native-tests sanitize sanitize-module fuzz faults schema docs dist learning clean

# Python keeps what it has compiled, even where the environment says otherwise: the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

SECONDS ?= 120
EXAMPLES ?= 50
PY := .venv/bin/python
CMAKE := .venv/bin/cmake
# Two more than there are cores: many tests wait for a browser, a server or a clock. What fails in that crowd is tried once
# more alone, and shown both times: only what fails twice fails.
JOBS := $(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 2)))
TESTED := g++:g++ curl:curl jq:jq nginx:nginx-light openssl:openssl javac:default-jdk-headless node:nodejs pg_ctlcluster:postgresql npm:npm \
  pdftotext:poppler-utils git:git bsdtar:libarchive-tools /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc:fonts-noto-cjk
CPP := $(shell find native src -name '*.hpp' -o -name '*.cpp' 2>/dev/null)
PRETTIER := .venv/node/node_modules/.bin/prettier --log-level warn "{src,examples,tests}/**/*.js"

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1@/p' Makefile | awk -F@ '{ printf "%-27s%s\n", $$1, $$2 }'

setup:  ## .venv, system packages and the compiled core
	@scripts/setup

run:  ## the web arena; it says where it is: make run OPTIONS="--port 8001"
	@scripts/setup --run
	@.venv/bin/ludus serve --weak-sandbox $(OPTIONS)  # only this machine can open it: the bots are one's own

test: setup  ## everything that is tested
	@$(MAKE) --no-print-directory -j2 native-tests sanitize  # one is compiled while the other runs
	@scripts/setup $(TESTED) chromium-headless-shell:chromium-headless-shell || scripts/setup $(TESTED) chromium:chromium
	@scripts/node
	$(PY) -m pytest -n $(JOBS) --dist worksteal || { [ $$? -eq 1 ] && $(PY) -m pytest --last-failed --last-failed-no-failures none; }

check: setup  ## format, lines of at most 120, lint and types
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/clang-format --dry-run --Werror $(CPP)
	@$(MAKE) --no-print-directory -j2 check-types check-pages

check-types:
	.venv/bin/mypy

check-pages:
	@scripts/setup node:nodejs npm:npm
	@scripts/node
	$(PRETTIER) --check
	@! LC_ALL=C.UTF-8 grep -rnE --include='*.js' --exclude-dir=site '.{121,}' src examples tests
	.venv/node/node_modules/.bin/tsc --project tests/tsconfig.json

format: setup  ## put every file into its format
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .
	.venv/bin/clang-format -i $(CPP)
	@scripts/setup node:nodejs npm:npm
	@scripts/node
	$(PRETTIER) --write

native-tests: setup  ## the core's own tests, tuned to this machine
	@env -u MAKEFLAGS $(CMAKE) --build build/module --target native_tests magnetic_cave_views \
	  playouts searches  # no jobs of make in ninja
	build/module/native_tests src/ludus/games
	build/module/magnetic_cave_views

sanitize: setup  ## the same under AddressSanitizer and UBSan, without any x86 extension
	@$(CMAKE) -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja \
	  -DCMAKE_BUILD_TYPE=Debug -DLUDUS_SANITIZE=ON -DLUDUS_TUNE=OFF >/dev/null
	@env -u MAKEFLAGS $(CMAKE) --build build/sanitize --target native_tests fuzz
	build/sanitize/native_tests src/ludus/games --quick
	build/sanitize/fuzz src/ludus/games --inputs 50000

# The sanitizers' library must be there before Python is, and the C++ library beside it, for exceptions. Memory of Python
# comes from the same allocator, so that what is read behind an object of Python's shows too.
sanitize-module: setup  ## the Python module under sanitizers, with calls of every kind: make sanitize-module SECONDS=600
	@$(CMAKE) -S . -B build/sanitize-module -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/.venv/bin/ninja -DCMAKE_BUILD_TYPE=Debug \
	  -DLUDUS_SANITIZE_MODULE=ON -DLUDUS_TUNE=OFF -DPython_EXECUTABLE=$(CURDIR)/$(PY) \
	  -Dnanobind_DIR="$$($(PY) -m nanobind --cmake_dir)" >/dev/null
	@env -u MAKEFLAGS $(CMAKE) --build build/sanitize-module --target _native
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" PYTHONMALLOC=malloc \
	  ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:allocator_may_return_null=1 \
	  $(PY) tests/fuzz_module.py build/sanitize-module/_native*.so --seconds $(SECONDS)

bench: setup  ## plies per second of each game beside its Python reference
	$(PY) bench/plies.py

signature: setup  ## write down what the engine finds now, after a change that means to change it
	$(PY) -c "from ludus.search.bench import write_signatures; write_signatures()"

tables: setup  ## write down the tables of a new SQLite database, after a new migration
	$(PY) -c "from ludus.store import TABLES, tables_of_migrations; TABLES.write_text(tables_of_migrations())"

bench-instructions: native-tests  ## instructions per ply and per node, under callgrind
	@scripts/setup valgrind:valgrind
	$(PY) bench/instructions.py

fuzz: sanitize  ## every reader, the protocols and the native core, longer: make fuzz SECONDS=600
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt atheris
	build/sanitize/fuzz src/ludus/games --seconds $(SECONDS) --seed $$(date +%s)
	LUDUS_FUZZ_EXAMPLES=$(SECONDS) $(PY) -m pytest -n $(JOBS) tests/protocols/test_conversation.py
	$(PY) tests/fuzz_parsers.py --seconds $(SECONDS)

faults: setup  ## kills, full disks and lost connections at random moments: make faults SECONDS=600
	@scripts/setup $(TESTED)
	$(PY) bench/faults.py --seconds $(SECONDS)

schema: setup  ## many made-up requests to every route of the web server, by each role: make schema EXAMPLES=200
	LUDUS_SCHEMA_EXAMPLES=$(EXAMPLES) $(PY) -m pytest tests/web/test_web_schema.py

docs: setup  ## the documentation as a site, which the web arena shows under /docs
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet

dist: docs  ## dist/: the source distribution and a wheel, tried in a new environment: make dist PYTHONS="python3.12 ..."
	@scripts/dist $(PYTHONS)

learning: setup  ## installs PyTorch (190 MB) and tests the learner of examples/learning
	$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt torch
	$(PY) -m pytest tests/test_learning.py

clean:  ## forget everything that was built
	rm -rf .venv build dist
