"""ServerApp: the API and the page, with an agent of your own, below a path of your application."""

from fastapi import FastAPI
from starlette.testclient import TestClient

from glassloop import Agent, ScriptedModel, ServerApp

glassloop = ServerApp(agents=[Agent(ScriptedModel(["Hello."]), name="greeter")])
app = FastAPI(lifespan=glassloop.lifespan)
app.mount("/agent", glassloop)

with TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 50000)) as client:
    print([found["id"] for found in client.get("/agent/v1/models").json()["data"]])
