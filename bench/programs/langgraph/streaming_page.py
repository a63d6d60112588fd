from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse
from langchain.agents import create_agent

PAGE = """<form onsubmit="ask(event)"><input name=q autofocus><button>Ask</button></form><pre></pre><script>
async function ask(event) {
  event.preventDefault()
  const out = document.querySelector("pre")
  out.textContent = ""
  const answer = await fetch("ask?q=" + encodeURIComponent(event.target.q.value))
  for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) out.textContent += piece
}
</script>"""
agent = create_agent("openai:gpt-5.2", system_prompt="You answer in a few sentences.")
app = FastAPI()


async def text_of(question: str) -> AsyncIterator[str]:
    asked = {"messages": [{"role": "user", "content": question}]}
    async for piece, _ in agent.astream(asked, stream_mode="messages"):
        yield piece.text


@app.get("/", response_class=HTMLResponse)
def page() -> str:
    return PAGE


@app.get("/ask")
def ask(q: str) -> StreamingResponse:
    return StreamingResponse(text_of(q), media_type="text/plain")
