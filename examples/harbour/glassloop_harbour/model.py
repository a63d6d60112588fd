"""`harbour:echo`: a model that says what it was told."""

from glassloop.core.errors import UnknownName
from glassloop.core.messages import Abilities, AssistantMessage, Reply, TextChunk, Usage, UserMessage
from glassloop_harbour import HarbourSettings


class EchoModel:
    name = "harbour:echo"
    abilities = Abilities(reads_prompts=False)

    def __init__(self, port):
        self.port = port

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        said = [each.content for each in request.messages if isinstance(each, UserMessage) and each.author == "person"]
        text = f"{self.port} hears: {said[-1]}"
        yield TextChunk(text)
        yield Reply(message=AssistantMessage(text=text), usage=Usage(cost=0.0), model=self.name)


def make_model(name, options):
    if name.model != "echo":
        raise UnknownName(f"There is no model {str(name)!r}: use harbour:echo.")
    return EchoModel(options.settings.of(HarbourSettings).port)
