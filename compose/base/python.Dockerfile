# Stands in for the official Python image where no registry can be reached.
ARG DEBIAN_IMAGE
FROM ${DEBIAN_IMAGE}
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends python3 python3-venv python3-pip \
    && rm -rf /var/lib/apt/lists/* /usr/lib/python3.11/EXTERNALLY-MANAGED \
    && ln -s /usr/bin/python3.11 /usr/local/bin/python \
    && ln -s /usr/bin/python3.11 /usr/local/bin/python3
ENV LANG=C.UTF-8
CMD ["python3"]
