from collections.abc import AsyncIterator

from agents import Agent, Runner
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse
from openai.types.responses import ResponseTextDeltaEvent

PAGE = """<form onsubmit="ask(event)"><input name=q autofocus><button>Ask</button></form><pre></pre><script>
async function ask(event) {
  event.preventDefault()
  const out = document.querySelector("pre")
  out.textContent = ""
  const answer = await fetch("ask?q=" + encodeURIComponent(event.target.q.value))
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) out.textContent += piece
}
</script>"""
agent = Agent(name="writer", model="gpt-5.2", instructions="You answer in a few sentences.")
app = FastAPI()


async def text_of(question: str) -> AsyncIterator[str]:
    async for event in Runner.run_streamed(agent, question).stream_events():
        if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
            yield event.data.delta


@app.get("/", response_class=HTMLResponse)
def page() -> str:
    return PAGE


@app.get("/ask")
def ask(q: str) -> StreamingResponse:
    return StreamingResponse(text_of(q), media_type="text/plain")
