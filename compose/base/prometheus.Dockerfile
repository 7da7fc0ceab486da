# Stands in for the official Prometheus image: Debian's package.
ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends prometheus \
    && rm -rf /var/lib/apt/lists/*
EXPOSE 9090
ENTRYPOINT ["/usr/bin/prometheus"]
