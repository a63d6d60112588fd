"""A web page that shows an answer while it is written: `uvicorn streaming_page:app`."""

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse

from glassloop import Agent

PAGE = """<form onsubmit="ask(event)"><input name=q autofocus><button>Ask</button></form><pre></pre><script>
async function ask(event) {
  event.preventDefault()
  const out = document.querySelector("pre")
  out.textContent = ""
  const answer = await fetch("ask?q=" + encodeURIComponent(event.target.q.value))
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) out.textContent += piece
}
</script>"""
agent = Agent("openai:gpt-5.2", prompt="You answer in a few sentences.")
app = FastAPI()


@app.get("/", response_class=HTMLResponse)
def page() -> str:
    return PAGE


@app.get("/ask")
def ask(q: str) -> StreamingResponse:
    return StreamingResponse(agent.stream(q).text(), media_type="text/plain")
