# Every image of ours: a target for each service. `docker compose build` builds them from here.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
ARG NATS_IMAGE=nats:2.15.1-alpine

FROM ${NATS_IMAGE} AS nats

# What every image runs on: a user without rights, and nothing that could give it some.
FROM ${PYTHON_IMAGE} AS runtime
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin fes \
    && install --directory --owner fes --group fes /var/lib/fes \
    && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
ENV PATH=/opt/ours/bin:/opt/fes/bin:${PATH} PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1

# The tools that install; no image keeps them.
FROM ${PYTHON_IMAGE} AS tools
COPY constraints.txt /src/
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv /opt/tools \
    && /opt/tools/bin/pip install --quiet -c /src/constraints.txt hatchling

# Third-party libraries of all services but analytics: installed once, one layer that images share.
FROM tools AS libraries
COPY compose/requirements.txt /src/
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv --without-pip /opt/fes \
    && /opt/tools/bin/pip --python /opt/fes/bin/python install --quiet \
        -c /src/constraints.txt -r /src/requirements.txt \
    && echo /opt/ours > /opt/fes/lib/python3.11/site-packages/ours.pth

FROM tools AS judge-libraries
COPY compose/requirements-analytics.txt /src/
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv --without-pip /opt/fes \
    && /opt/tools/bin/pip --python /opt/fes/bin/python install --quiet \
        -c /src/constraints.txt -r /src/requirements-analytics.txt \
    && echo /opt/ours > /opt/fes/lib/python3.11/site-packages/ours.pth

# Our packages, each in a folder of its own (/built/NAME), from which images take what they need.
FROM libraries AS packages
WORKDIR /src
COPY libs libs
COPY services services
COPY scenarios scenarios
RUN /opt/tools/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels \
        ./libs/* ./services/* ./scenarios/* \
    && for wheel in /wheels/*.whl; do \
        name="${wheel##*/}" \
        && /opt/tools/bin/pip --python /opt/fes/bin/python install --quiet --no-deps \
            --target "/built/${name%%-*}" "$wheel" || exit 1; \
    done

FROM runtime AS service
COPY --from=libraries /opt/fes /opt/fes

FROM service AS adapter-base
COPY --from=packages /built/eventservices /built/serving /built/fes /opt/ours/
USER 10001:10001
ENTRYPOINT ["python", "-m", "fes.adapter"]

FROM adapter-base AS adapter-cns
COPY --from=packages /built/fes_adapter_cns /opt/ours/

FROM adapter-base AS adapter-siena
COPY --from=packages /built/fes_adapter_siena /opt/ours/

FROM adapter-base AS adapter-steam
COPY --from=packages /built/fes_adapter_steam /opt/ours/

FROM adapter-base AS adapter-cosmic
COPY --from=packages /built/fes_adapter_cosmic /opt/ours/

FROM adapter-base AS adapter-nats
COPY --from=packages /built/fes_adapter_nats /opt/ours/

FROM adapter-base AS adapter-mqtt
COPY --from=packages /built/fes_adapter_mqtt /opt/ours/

FROM adapter-base AS adapter-kafka
COPY --from=packages /built/fes_adapter_kafka /opt/ours/

FROM adapter-base AS adapter-jms
COPY --from=packages /built/fes_adapter_jms /opt/ours/

FROM adapter-base AS adapter-http
COPY --from=packages /built/fes_adapter_http /opt/ours/

FROM adapter-base AS adapter-bus
COPY --from=packages /built/fes_adapter_bus /opt/ours/

FROM adapter-base AS naming
COPY --from=packages /built/fes_naming /opt/ours/
ENTRYPOINT ["python", "-m", "fes_naming"]

FROM adapter-base AS policy
COPY --from=packages /built/fes_policy /opt/ours/
ENTRYPOINT ["python", "-m", "fes_policy"]

# With the adapters' settings, which `fes validate` knows.
FROM service AS gateway
COPY --from=packages /built/eventservices /built/serving /built/fes /built/fes_adapter_cns \
    /built/fes_adapter_siena /built/fes_adapter_steam /built/fes_adapter_cosmic /built/fes_adapter_nats \
    /built/fes_adapter_mqtt /built/fes_adapter_kafka /built/fes_adapter_jms /built/fes_adapter_http /built/fes_adapter_bus /built/fes_gateway /opt/ours/
USER 10001:10001
EXPOSE 8080 8090
ENTRYPOINT ["fes-gateway"]

FROM service AS can-sim
COPY --from=packages /built/eventservices /built/serving /built/can_sim /opt/ours/
USER 10001:10001
ENTRYPOINT ["can-sim"]
CMD ["run"]

FROM service AS event-domains
COPY --from=packages /built/eventservices /built/serving /built/event_domains /opt/ours/
USER 10001:10001
EXPOSE 8091
ENTRYPOINT ["event-domains"]

# The city speaks to its SIENA service as the adapter there maps.
FROM service AS traffic-control
COPY --from=packages /built/eventservices /built/serving /built/fes /built/fes_adapter_siena \
    /built/traffic_control /opt/ours/
USER 10001:10001
EXPOSE 8090
ENTRYPOINT ["traffic-control"]
CMD ["serve"]

# What lays out a run before its parts start.
FROM service AS traffic
COPY --from=packages /built/eventservices /built/serving /built/fes /built/fes_adapter_cns \
    /built/fes_adapter_siena /built/fes_adapter_steam /built/fes_adapter_cosmic /built/fes_adapter_bus /built/can_sim \
    /built/fes_scenario_kit /built/fes_scenario_traffic /opt/ours/
USER 10001:10001
ENTRYPOINT ["fes-traffic"]
CMD ["stage"]

# A walk through a building: all of it in one container, which starts its own NATS servers.
FROM service AS building-walk
COPY --from=nats /usr/local/bin/nats-server /usr/local/bin/nats-server
COPY --from=packages /built/eventservices /built/serving /built/fes /built/fes_adapter_bus \
    /built/fes_adapter_cosmic /built/fes_adapter_siena /built/fes_adapter_steam /built/fes_gateway \
    /built/fes_naming /built/fes_policy /built/fes_scenario_kit /built/fes_scenario_building_walk /opt/ours/
USER 10001:10001
ENTRYPOINT ["fes-building-walk"]
CMD ["demo", "--runs", "/var/lib/fes/runs"]

# The judge, with the Java that Spark needs.
FROM runtime AS analytics
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless \
    && rm -rf /var/lib/apt/lists/*
COPY --from=judge-libraries /opt/fes /opt/fes
COPY --from=packages /built/serving /built/fes_analytics /opt/ours/
USER 10001:10001
EXPOSE 8100
ENTRYPOINT ["fes-analytics"]
CMD ["serve"]
