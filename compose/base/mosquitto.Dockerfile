# Stands in for the official Mosquitto image, of the next Debian: it has the newer version.
ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
RUN sed -i 's/bookworm/trixie/g' /etc/apt/sources.list \
    && groupadd --gid 1883 mosquitto && useradd --uid 1883 --gid 1883 --no-create-home mosquitto \
    && apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends mosquitto mosquitto-clients \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /mosquitto/config /mosquitto/data /mosquitto/log \
    && chown -R mosquitto:mosquitto /mosquitto
EXPOSE 1883
CMD ["/usr/sbin/mosquitto", "-c", "/mosquitto/config/mosquitto.conf"]
