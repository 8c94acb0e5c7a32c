# Four words: run it, test it, check it, measure it. Each installs what it needs into .venv first.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
CORPUS ?= docs
CHROMIUM := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
COMMA  := ,
# The page is tested in a Chromium where there is one; what drives it is not worth installing elsewhere.
TESTED := test,add,office,code,lsp,work,postgres,dist$(if $(CHROMIUM),$(COMMA)browser)

.PHONY: run test check bench bench-search bench-serving bench-publish bench-published-beside bench-watch bench-history bench-models bench-promises bench-agents bench-first bench-prefix bench-rare-words bench-map bench-editor bench-engines bench-revisions bench-code-search bench-routes bench-beside bench-page bench-published-page bench-footprint dist mcpb judge-keywords size house fuzz fuzz-deep audit cluster test-faults conformance test-page train screenshots web clean bench-map-scale
.DEFAULT_GOAL := help

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed-%: $(VENV)/pip pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@

$(VENV)/installed: $(VENV)/pip pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

run: $(VENV)/installed  ## index our own documentation, show a map and a search of it, then serve its page until Ctrl-C
	$(BIN)/pinakes sync --root docs
	$(BIN)/pinakes map --root docs --budget 1500
	$(BIN)/pinakes search --root docs "how are files ignored?" --limit 3
	$(BIN)/pinakes read --root docs map.md#the-format
	$(BIN)/pinakes serve docs $(ARGS)

test: $(VENV)/installed-$(TESTED)  ## run every test; those of the page where there is a Chromium
	$(BIN)/python -m pytest -n auto $(ARGS)

check: $(VENV)/installed-check $(VENV)/installed-$(TESTED) audit  ## format, lint, types, import directions, known vulnerabilities
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fuzz: $(VENV)/installed-test  ## a thousand examples for every operation of the OpenAPI document, and of SQL in texts; takes some minutes
	PINAKES_FUZZ_EXAMPLES=1000 $(BIN)/python -m pytest tests/serve/test_serve_http_fuzz.py tests/serve/test_serve_injection.py -s $(ARGS)

fuzz-deep: $(VENV)/installed-test,add,code,lsp,fuzz  ## ten minutes of coverage-guided fuzzing for each parser, reader and door; ARGS="TARGET… --seconds N"
	$(BIN)/python tests/fuzz $(ARGS)

audit: $(VENV)/installed-check $(VENV)/installed-$(TESTED)  ## known vulnerabilities of what we depend on, where advisories can be reached
	$(BIN)/python tests/audit.py

test-faults: $(VENV)/installed-test  ## 200 kills, damages, damages under a server and full disks, and a server for 30 minutes with edits
	PINAKES_LINKS=300 PINAKES_KILLS=50 PINAKES_DAMAGES=200 PINAKES_SERVER_DAMAGES=200 PINAKES_FULL=200 PINAKES_TOGETHER=20 \
		PINAKES_SOAK_MINUTES=$${PINAKES_SOAK_MINUTES:-30} $(BIN)/python -m pytest --timeout 0 -n 2 -rP \
		tests/hostile/test_hostile_soak.py tests/laws/test_laws_own_files.py tests/laws/test_laws_kill.py tests/hostile/test_hostile_healing.py \
		tests/hostile/test_hostile_server_damage.py tests/hostile/test_hostile_full.py \
		tests/hostile/test_hostile_together.py $(ARGS)

conformance: $(VENV)/installed-test  ## the official MCP suite and inspector against our server; says so where npm is missing
	$(BIN)/python tests/conformance || [ $$? = 75 ]

bench: $(VENV)/installed-bench  ## measure on CORPUS=FOLDER, side by side with others
	$(BIN)/python -m benchmarks $(CORPUS) --formats $(ARGS)

bench-search: $(VENV)/installed-bench-search  ## measure search at several sizes of CORPUS=FOLDER, beside others
	$(BIN)/python -m benchmarks.search $(CORPUS) $(ARGS)

bench-serving: $(VENV)/installed  ## fifty clients for a minute against a server of CORPUS=FOLDER
	$(BIN)/python -m benchmarks.serving $(CORPUS) $(ARGS)

bench-watch: $(VENV)/installed  ## how soon a save and a git checkout of 6,000 files are in the index of a watched folder
	$(BIN)/python -m benchmarks.watching $(ARGS)

bench-history: $(VENV)/installed  ## how fast commits become searchable, of a generated repository or ARGS=REPOSITORY
	$(BIN)/python -m benchmarks.history $(ARGS)

bench-models: $(VENV)/installed-bench-models  ## compare embedders on SETS="SET…" and HELD_OUT="FOLDER…": quality, speed, the bars of the package's models
	$(BIN)/python -m benchmarks.models $(if $(SETS),--sets $(SETS)) $(if $(HELD_OUT),--held-out $(HELD_OUT)) $(ARGS)

bench-publish: $(VENV)/installed  ## publish 6,000 documents of CORPUS=FOLDER, again, and after an edit; ARGS="--questions SET"
	$(BIN)/python -m benchmarks.publishing $(CORPUS) $(ARGS)

bench-published-beside: $(VENV)/installed  ## the search page of a published folder beside Pagefind (npm install pagefind in web): ARGS="SET [--documents FOLDER]"
	$(BIN)/python -m benchmarks.published_beside $(ARGS)

bench-promises: $(VENV)/installed  ## how soon servers of CORPUS=FOLDER end, answer hostile questions, and answer in a crowd
	$(BIN)/python -m benchmarks.promises $(CORPUS) $(ARGS)

bench-agents: $(VENV)/installed  ## what an agent pays and gets through MCP for the questions of SETS=SET, and random calls against their budgets
	$(BIN)/python -m benchmarks.agents $(SETS) $(ARGS)

bench-first: $(VENV)/installed  ## from nothing to the first answer over CORPUS=FOLDER, and later commands, beside others; ARGS="--memory"
	$(BIN)/python -m benchmarks.first $(CORPUS) $(ARGS)

bench-prefix: $(VENV)/installed  ## what a scan of prefixes finds of the vectors of CORPUS="LIBRARY…"; ARGS="--questions FILE --rows N"
	$(BIN)/python -m benchmarks.prefix $(CORPUS) $(ARGS)

bench-rare-words: $(VENV)/installed  ## rare, misspelt and half-typed words in CORPUS="FOLDER…"; ARGS="--set SET"
	$(BIN)/python -m benchmarks.rare_words $(CORPUS) $(ARGS)

judge-keywords: $(VENV)/installed  ## keywords of CORPUS="FOLDER…" as questions that must find their sections; ARGS="--sheet 200" for a judge, "--before REVISION"
	$(BIN)/python -m benchmarks.judge_keywords $(CORPUS) $(ARGS)

bench-map: $(VENV)/installed  ## can a reader of the map alone pick the right files? On CORPUS=SET or FOLDER, beside other maps; ARGS="--first REVISION"
	$(BIN)/python -m benchmarks.map_reading $(CORPUS) $(ARGS)

bench-code-search: $(VENV)/installed-code  ## is a function found by its documentation once that is taken out? Beside BM25 over lines; ARGS="FOLDER --questions N"
	$(BIN)/python -m benchmarks.code_search $(ARGS)

bench-map-scale: $(VENV)/installed  ## is the map quick at any scale? On a copy of CORPUS=FOLDER; ARGS="--kept FOLDER --rounds 5"
	$(BIN)/python -m benchmarks.map_scale $(CORPUS) $(ARGS)

bench-engines: $(VENV)/installed-postgres  ## does PLACE=SET answer alike from a folder and from the database PINAKES_STORE_URL? ARGS="--passages 100000" for times
	$(BIN)/python -m benchmarks.engines $(PLACE) $(ARGS)

bench-revisions: $(VENV)/installed-postgres  ## how soon can a library be asked as it was? On a repository made from CORPUS=FOLDER; ARGS="--files 4000 --changed 20 --store URL"
	$(BIN)/python -m benchmarks.revisions $(CORPUS) $(ARGS)

cluster: $(VENV)/installed-test,postgres  ## a primary, a replica, two servers and two workers on this machine, under load and faults; ARGS="--faults 20"
	$(BIN)/python tests/cluster $(ARGS)

bench-editor: $(VENV)/installed-lsp  ## how soon an editor gets completion and findings on 4,000 files of CORPUS=FOLDER
	$(BIN)/python -m benchmarks.editor $(CORPUS) $(ARGS)

bench-page: $(VENV)/installed-test,browser  ## bytes and milliseconds of first views of the page over CORPUS=FOLDER in a real Chromium
	$(BIN)/python -m benchmarks.page $(CORPUS) $(ARGS)

bench-published-page: $(VENV)/installed-test,browser  ## the same of the pages that `publish` makes of CORPUS=FOLDER, with what Lighthouse asks for
	$(BIN)/python -m benchmarks.published_page $(CORPUS) $(ARGS)

bench-routes: $(VENV)/installed  ## trace every route: files, functions, rooms and depth, beside the first figures
	$(BIN)/python -m benchmarks.routes $(ARGS)

bench-beside: $(VENV)/installed  ## syncs, refreshes, searches and maps beside an earlier commit, in turns; CORPUS=FOLDER
	$(BIN)/python -m benchmarks.beside $(CORPUS) $(ARGS)

bench-footprint:  ## what `pip install .` brings into a fresh environment: megabytes and import times of each package
	rm -rf build/footprint && $(PYTHON) -m venv build/footprint
	build/footprint/bin/python -m pip install --quiet --disable-pip-version-check .
	build/footprint/bin/python -m benchmarks.footprint --rounds 15 $(ARGS)

dist: $(VENV)/installed-dist  ## build wheel and sdist into dist/, try the README with each in a fresh environment, list materials and hashes
	$(BIN)/python -m release dist $(ARGS)

mcpb: $(VENV)/installed-dist  ## the bundle for desktop clients, into dist/; needs npm
	$(BIN)/python -m release mcpb $(ARGS)

size: $(VENV)/installed  ## lines of Python by room, beside the first figures, and the largest files
	$(BIN)/python -m benchmarks.size $(ARGS)

house: $(VENV)/installed  ## names that mean two things, docstrings that explain nothing, files that are too long
	PYTHONPATH=tests $(BIN)/python -m kits.house

test-page: $(VENV)/installed-test,code,work,browser  ## the page's tests in a real Chromium, which must be installed
	$(BIN)/python -m pytest tests/serve/test_serve_web_*.py tests/serve/test_serve_work_*.py $(ARGS)

train: $(VENV)/installed-train  ## make the models from CORPUS="FOLDER…" and BASE=FOLDER; ASKED=FOLDER JUDGE=FOLDER to learn from, HELD_OUT="FOLDER…" SETS="SET…" to judge by
	$(BIN)/python -m training prepare $(CORPUS) $(if $(HELD_OUT),--held-out $(HELD_OUT)) $(if $(SETS),--sets $(SETS)) $(if $(ASKED),--asked $(ASKED)) --out build/material
	$(BIN)/python -m training run build/material --base $(BASE) $(if $(JUDGE),--judge $(JUDGE)) --out build/models $(ARGS)
	$(BIN)/python -m training export --transformer build/models --base $(BASE) --to build/models/docs-embed

screenshots: $(VENV)/installed-test,code,work,browser  ## pictures of the page for docs/, taken in a real Chromium
	$(BIN)/python tests/screenshots.py

web:  ## build the scripts of both pages and of documents from web/ anew; needs npm, and gives the same bytes for the same sources
	cd web && npm install --no-package-lock --ignore-scripts --no-audit --no-fund && npm run check && npm run build

clean:  ## forget the environment and the caches
	rm -rf $(VENV) .node web/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist
