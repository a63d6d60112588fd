"""An assistant that any process can go on with: it looks things up as often as its question has words, then talks."""

import asyncio

from glassloop import Agent, tool
from glassloop.core.messages import Abilities, AssistantMessage, Reply, TextChunk, ThoughtChunk, Usage, UserMessage
from glassloop.core.records import ToolCall
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.conversations.archive import StoreArchive

PIECES = 12
PAUSE_S = 0.004


def answer_to(question):
    return "".join(f"Part {number} of what is said about {question!r}. " for number in range(PIECES))


class Talker:
    """The model. Thinks aloud before each look, and takes its time to answer.

    `wait`, where there is one, comes before the last piece of an answer: what is seen of it by then does not depend on
    who is quicker.
    """

    name = "talker"
    abilities = Abilities()

    def __init__(self, pause_s=PAUSE_S, wait=None):
        self._pause_s = pause_s
        self._wait = wait

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        question = next(message.content for message in request.messages if isinstance(message, UserMessage))
        looks = sum(isinstance(message, AssistantMessage) and bool(message.calls) for message in request.messages)
        words = question.split()
        await asyncio.sleep(self._pause_s)
        if looks < len(words):
            thought = f"Where is {words[looks]!r}?"
            yield ThoughtChunk(thought)
            calls = (ToolCall(id="", tool="look", args={"word": words[looks]}),)
            message = AssistantMessage(thought=thought, calls=calls)
        else:
            text = answer_to(question)
            size = len(text) // PIECES
            for start in range(0, len(text), size):
                if self._wait is not None and start + size >= len(text):
                    await self._wait()
                yield TextChunk(text[start : start + size])
                await asyncio.sleep(self._pause_s)
            message = AssistantMessage(text=text)
        usage = Usage(input_tokens=10, output_tokens=5, cost=0.0)
        yield Reply(message=message, usage=usage, stop="tool_use" if message.calls else "end_turn", model=self.name)


@tool(effect="read", volatile=True)
async def look(word: str) -> str:
    """Look a word up."""
    return f"{word} is there"


def make_agent(store, model):
    return Agent(model, [look], memory=ConversationMemory(archive=StoreArchive(store)), name="general")
