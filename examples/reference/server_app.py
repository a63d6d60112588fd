"""ServerApp: the API and the page below a path of your own application."""

from fastapi import FastAPI
from starlette.testclient import TestClient

from glassloop import ServerApp

glassloop = ServerApp()
app = FastAPI(lifespan=glassloop.lifespan)
app.mount("/agent", glassloop)

with TestClient(app, base_url="http://127.0.0.1") as client:
    print(client.get("/agent/readyz").status_code)
