# The Federated Event Service. `make help` lists what there is.

PACKAGES := libs/eventservices libs/serving libs/fes services/gateway \
	services/adapter-cns services/adapter-siena services/adapter-steam services/adapter-cosmic services/adapter-nats services/adapter-mqtt services/adapter-kafka services/adapter-jms services/adapter-http \
	services/event-domains services/adapter-bus services/naming services/policy \
	services/can-sim services/traffic-control services/analytics scenarios/kit scenarios/traffic scenarios/persistent \
	scenarios/traffic-control-events scenarios/event-domain scenarios/active-badge scenarios/stock-market scenarios/building-walk
SOURCES := $(PACKAGES:%=%/src)

PYTHON ?= $(firstword $(shell command -v python3.11 2>/dev/null) python3)
BIN := .venv/bin
INSTALLED := .venv/.installed

# A command in the place of its shell receives the SIGTERM that ends make, and ends where make is killed.
ENDING := exec env FES_PARENT=$$PPID

RUNS ?= runs
FES_SEEDS ?= 100000
FES_TOWNS ?= 10000
FES_LAWS ?= 100000
FES_FUZZ ?= 100000
FES_BUSES ?= 2000
FES_TREES ?= 1000

# What `demo` plays; each may be left out.
INPUTS = $(if $(TRACE),--trace "$(TRACE)") $(if $(MONITORS),--monitors "$(MONITORS)") \
	$(if $(BUS),--bus $(BUS)) $(if $(DBC),--dbc "$(DBC)") $(if $(POSITIONS),--positions "$(POSITIONS)") \
	$(if $(SPEEDUP),--speedup $(SPEEDUP)) $(if $(VEHICLES),--vehicles $(VEHICLES)) \
	$(if $(DURATION),--duration $(DURATION)) $(if $(SEED),--seed $(SEED))
comma := ,
APART = $(foreach name,$(subst $(comma), ,$(OWN_PROCESS)),--own-process $(name))

.DEFAULT_GOAL := help
.PHONY: help install demo persistent control-events event-domain active-badge stock-market building-walk test test-fast check style types types-tests imports links stream bench simulate mutants up down verify engine secrets base-images clean java

help: ## List the targets
	@echo "The Federated Event Service"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "Of demo (paths start where make runs; each may be left out):"
	@echo "  TRACE=FILE        what vehicles did: CSV, GPX, CAN log (a made-up town without)"
	@echo "  MONITORS=FILE     CSV of places with a speed limit (placed along the trace without)"
	@echo "  DBC=FILE          definitions of the CAN log's frames"
	@echo "  POSITIONS=FILE    CSV or GPX: where the CAN log was made"
	@echo "  SPEEDUP=X         seconds of the trace in a second"
	@echo "  VEHICLES=N DURATION=S SEED=N    cut the trace, or shape the made-up town"
	@echo "  BUS=cosmic        a CAN bus on board, instead of the CORBA Notification Service"
	@echo "  OWN_PROCESS=NAMES gateways or adapters that get a process each, e.g. g-m-M01,g-m-M02.siena-m"
	@echo
	@echo "Of persistent:  EVENTS=N KILLS=N RATE=X SEED=N    how much of a stream, and what happens to it"
	@echo "                FEDERATION=FILE    chain.yaml or pair.yaml of scenarios/persistent/"
	@echo "                REPLICAS=N STORE=jetstream    processes of each gateway, and where journals are"
	@echo "Of stock-market: TICKS=ZIP COUNT=N SEED=N    trades of a day (made up without), and how many"
	@echo "Of building-walk: SIGHTINGS=CSV STEPS=N SEED=N    sightings of a badge (made up without), and how long"
	@echo "                RESTARTS=1    kill each service in turn while the walk goes on, or RESTARTS=\"policy bus-net1\" those"
	@echo "Of control-events: SPEEDUP=X SEED=N FEDERATION=FILE, its federation in the place of the scenario's"
	@echo "Of event-domain: EVENTS=N BOUND=N    events of each supplier, connections that an event may pass"
	@echo "Of active-badge: SEED=N    of the sightings; their margins are the published ones"
	@echo "Of up, down: OVERRIDES=…     of compose/: building, dev, observability, passwords, replicas, spark-cluster; .env.example lists the settings"
	@echo "Of test, bench: ARGS=…       arguments of pytest, of benchmarks/run.py"
	@echo "Of test:        CHECKED=PATHS    tests that ran already, as tests/unit/house in make check"
	@echo "Of mutants:     ARGS=…       --share N (one in N), --only transfer.py, --again (what survived, too)"
	@echo "Of simulate:    FES_SEEDS=N FES_TOWNS=N    how many federations, and replicated gateways ($(FES_SEEDS), $(FES_TOWNS))"
	@echo "                FES_FIRST_SEED=N    the first of them (others each day), ARGS=\"--processes N\""
	@echo "                FES_LAWS=N     how many cases of each law of filters (default $(FES_LAWS))"
	@echo "                FES_BUSES=N FES_TREES=N    how many days of event buses, and trees of naming servers"
	@echo "                FES_FUZZ=N     how many spoilt files (default $(FES_FUZZ))"

install: $(INSTALLED) ## Install into .venv; every other target does it where needed

demo: $(INSTALLED) java ## Run the traffic scenario and judge it; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-traffic demo --runs "$(RUNS)" $(INPUTS) $(APART)

persistent: $(INSTALLED) ## Kill the parts of a chain while a persistent stream passes; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-persistent run --runs "$(RUNS)" $(if $(EVENTS),--events $(EVENTS)) $(if $(KILLS),--kills $(KILLS)) \
		$(if $(FEDERATION),--federation "$(FEDERATION)") $(if $(RATE),--rate $(RATE)) $(if $(SEED),--seed $(SEED)) \
		$(if $(REPLICAS),--replicas $(REPLICAS)) $(if $(STORE),--store $(STORE))

control-events: $(INSTALLED) ## Send a vehicle's speed over the air in control events; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-traffic-control-events demo --runs "$(RUNS)" $(if $(SPEEDUP),--speedup $(SPEEDUP)) $(if $(SEED),--seed $(SEED)) \
		$(if $(FEDERATION),--federation "$(FEDERATION)")

event-domain: $(INSTALLED) ## Connect the channels of MEDIator's paper, with a diamond and a cycle; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-event-domain --runs "$(RUNS)" $(if $(EVENTS),--events $(EVENTS)) $(if $(BOUND),--bound $(BOUND))
active-badge: $(INSTALLED) java ## Make the smart-building thesis's experiments on event buses; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-active-badge --runs "$(RUNS)" $(if $(SEED),--seed $(SEED))

stock-market: $(INSTALLED) ## Trade on two stock markets, structured by scopes; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-stock-market demo --runs "$(RUNS)" $(if $(TICKS),--ticks "$(TICKS)") $(if $(COUNT),--count $(COUNT)) \
		$(if $(SEED),--seed $(SEED))

building-walk: $(INSTALLED) ## Walk with badges through a smart building; the exit status is the verdict
	@$(ENDING) $(BIN)/fes-building-walk demo --runs "$(RUNS)" $(if $(SIGHTINGS),--sightings "$(SIGHTINGS)") \
		$(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) $(if $(RESTARTS),--restarts $(filter-out 1,$(RESTARTS)))

up: $(if $(filter passwords,$(OVERRIDES)),secrets) ## Run the traffic scenario in containers, with Docker Compose
	@$(if $(OVERRIDES),compose/choose $(OVERRIDES))
	@compose/base-images
	@echo "Building the images (some minutes the first time)"
	@docker compose build --quiet
	@compose/recorder.py start
	@docker compose up --detach --wait || compose/explain
	@compose/where

down: ## Remove everything that `make up` made, but the images
	@compose/recorder.py stop
	@docker compose down --volumes --remove-orphans
	@compose/choose

verify: ## Stop what `make up` started, part by part, and judge the finished run
	@compose/verify

engine: ## Start a Docker engine where none runs (on Debian, as root)
	@compose/engine

secrets: ## Make up the passwords for OVERRIDES=passwords
	@compose/secrets

base-images: ## Pull the public base images, or build stand-ins where no registry answers
	@compose/base-images

# Containers have the machine for themselves, so that what is slow is slow for a reason.
test: $(INSTALLED) java ## Run all tests; those of containers where a Docker engine runs or can be started
	@failed=0; $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder \
		$(patsubst %,--ignore %,tests/compose $(CHECKED)) $(ARGS) || failed=$$?; \
	$(if $(ARGS),,$(BIN)/pytest tests/compose || failed=$$?;) exit $$failed

# Unit tests, the adapter in memory and a small simulation: no broker, no Spark, no container.
FAST := tests/unit tests/conformance/test_memory_adapter.py tests/simulation/test_promises.py
test-fast: $(INSTALLED) ## Run the tests that need no broker and no Spark; within a minute on 2 cores
	@FES_SEEDS=$(or $(FES_FAST_SEEDS),100) FES_STORED_SEEDS=5 $(BIN)/pytest -q -n 2 --dist worksteal \
		-m "not broker and not spark and not slow" --ignore tests/unit/house $(FAST) $(ARGS)

check: style types-tests imports links ## Check style, types, imports and the links in the documentation

style: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy $(SOURCES)

types-tests: $(INSTALLED) ## Check the types of the sources, of the tests and of the benchmarks, in one run
	$(BIN)/mypy $(SOURCES) tests benchmarks

imports: $(INSTALLED)
	$(BIN)/lint-imports

links: $(INSTALLED)
	$(BIN)/pytest -q tests/unit/house

stream: $(INSTALLED) ## Send EVENTS (50,000) from Kafka to JetStream and back while parts are killed; the exit status is the verdict
	@CI=1 FES_STREAM=$(or $(EVENTS),50000) $(BIN)/pytest -q tests/integration/plain/test_streams.py

bench: $(INSTALLED) ## Run the benchmarks; benchmarks/ says what they measure
	@$(BIN)/python benchmarks/run.py $(ARGS)

simulate: $(INSTALLED) ## Play the protocol in federations that nobody has played, filters over many laws' cases, readers over many spoilt files
	@failed=0; cd tests; first="$(if $(FES_FIRST_SEED),--first $(FES_FIRST_SEED)) $(ARGS)"; \
	../$(BIN)/python -m support.play.ranges federations --count $(FES_SEEDS) $$first || failed=1; \
	../$(BIN)/python -m support.play.ranges towns --count $(FES_TOWNS) $$first || failed=1; cd ..; \
	FES_BUSES=$(FES_BUSES) FES_TREES=$(FES_TREES) $(BIN)/pytest tests/simulation/test_buses.py tests/simulation/test_naming.py --timeout 0 -n 2 || failed=1; \
	FES_LAWS=$(FES_LAWS) $(BIN)/pytest tests/property/filter/test_many_cases.py tests/property/scopes/test_agreement.py tests/property/scopes/test_named_clients.py tests/property/scopes/test_rollout.py --timeout 0 -n 2 || failed=1; \
	FES_FUZZ=$(FES_FUZZ) $(BIN)/pytest tests/property/readers --timeout 0 -n 2 || failed=1; \
	exit $$failed

mutants: $(INSTALLED) ## Change the core in one place at a time and see whether the tests notice
	@cd tests; ../$(BIN)/python -m support.mutation.run --report ../docs/mutation.md $(ARGS)

clean: ## Remove runs, caches and what was built; the virtual environment stays
	@if [ -e "$(RUNS)/up.pid" ] && [ -x $(BIN)/fes-traffic ]; then $(BIN)/fes-traffic down --runs "$(RUNS)"; fi
	rm -rf "$(RUNS)" .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf spark-warehouse metastore_db derby.log
	find libs services scenarios tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

java:
	@command -v java >/dev/null 2>&1 || { \
		echo "Java is missing: Spark, which judges a run, needs Java 17 or newer." >&2; \
		echo "  Debian, Ubuntu: apt-get install openjdk-17-jre-headless" >&2; \
		echo "  Fedora:         dnf install java-17-openjdk-headless" >&2; \
		echo "  macOS:          brew install openjdk@17" >&2; \
		exit 1; }

# Third-party packages at the versions of constraints.txt, then ours from this checkout.
$(INSTALLED): constraints.txt $(PACKAGES:%=%/pyproject.toml)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed; found $$($(PYTHON) --version). Say which: make PYTHON=…" >&2; \
		exit 1; }
	@echo "Installing into .venv (once; a few minutes)"
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--no-build-isolation --no-deps $(PACKAGES:%=-e %)
	@touch $@
