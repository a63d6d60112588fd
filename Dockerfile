# Glassloop as an image: server by default, worker by `docker run … worker`. Nothing secret is in it.
# Both stages with Python must have the same one. To pin it: --build-arg PYTHON=python:3.12-slim@sha256:…
ARG NODE=node:22-slim
ARG PYTHON=python:3.12-slim

FROM ${NODE} AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY scripts/make_items.py /src/scripts/
RUN mkdir /items && cd /items && npm pack "$(sed -n 's/^PACKAGE = "\(.*\)"$/\1/p' /src/scripts/make_items.py)"
COPY web ./
RUN npx vite build --outDir /page --emptyOutDir

FROM ${PYTHON} AS build
RUN pip install --no-cache-dir uv==0.13.7
WORKDIR /src
COPY pyproject.toml requirements.lock ./
# The lock also has what only tests need: as a constraint it gives versions and hashes, which uv checks, and
# pyproject.toml says which packages. Nobody can write bytecode later on, so it is made here.
RUN uv venv /opt/glassloop && \
    uv pip install --no-cache --compile-bytecode --python /opt/glassloop/bin/python \
        --constraint requirements.lock --requirements pyproject.toml --all-extras
COPY README.md LICENSE ./
COPY src ./src
COPY --from=page /page ./src/glassloop/server/page
COPY scripts/make_items.py scripts/node.py ./scripts/
RUN --mount=from=page,source=/items,target=/items \
    PYTHONPATH=src /opt/glassloop/bin/python scripts/make_items.py /items/*.tgz
RUN uv pip install --no-cache --compile-bytecode --python /opt/glassloop/bin/python \
        --no-deps --build-constraint requirements.lock .

FROM ${PYTHON}
RUN groupadd --gid 10001 glassloop && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/glassloop --shell /usr/sbin/nologin glassloop && \
    install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/glassloop
COPY --from=build /opt/glassloop /opt/glassloop
ENV PATH=/opt/glassloop/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    GLASSLOOP_HOME=/var/lib/glassloop \
    GLASSLOOP_LOG=json
USER 10001
WORKDIR /var/lib/glassloop
VOLUME /var/lib/glassloop
EXPOSE 8000
STOPSIGNAL SIGTERM
# Not by urllib: it would ask a proxy of the environment for 127.0.0.1.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import http.client as http; c = http.HTTPConnection('127.0.0.1', 8000, timeout=3); c.request('GET', '/readyz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["glassloop"]
# Others can reach a container: without GLASSLOOP_AUTH=keys or proxy it refuses to start, and says so.
CMD ["serve", "--host", "0.0.0.0"]
