# Glassloop as an image: server by default, worker by `docker run … worker`. Nothing secret is in it.
FROM node:22-slim AS page
WORKDIR /src/web
COPY web ./
RUN npm ci --no-audit --no-fund && npx vite build --outDir /page --emptyOutDir

FROM python:3.12-slim AS build
RUN pip install --no-cache-dir uv
WORKDIR /src
COPY pyproject.toml requirements.lock README.md LICENSE ./
COPY src ./src
COPY --from=page /page ./src/glassloop/server/page
# The lock also has what only tests need: as a constraint it gives the versions, pyproject.toml says which packages.
RUN uv venv /opt/glassloop && \
    uv pip install --no-cache --python /opt/glassloop/bin/python --constraint requirements.lock '.[all]'

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/glassloop glassloop
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
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/livez', timeout=3)"]
ENTRYPOINT ["glassloop"]
# Others can reach a container: without GLASSLOOP_AUTH=keys or proxy it refuses to start, and says so.
CMD ["serve", "--host", "0.0.0.0"]
