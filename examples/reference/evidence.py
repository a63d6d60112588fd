"""Evidence, Figure: where each figure of an answer came from, and which have no source."""

from glassloop import Agent, Evidence, Figure, ScriptedModel, call, tool


@tool(effect="read")
def stock_of(sku: str) -> dict[str, int]:
    """Units on hand of an item."""
    return {"units": 140}


def told(figure: Figure) -> str:
    return f"{figure.text}: {figure.source or 'no source'} {list(figure.path)}"


model = ScriptedModel([call("stock_of", sku="BRG-6204"), "There are 140 units of BRG-6204, worth 630 euros."])
evidence: Evidence = Agent(model, [stock_of]).run_sync("How many BRG-6204 do we have?").evidence
print(evidence.sourced, "of", len(evidence.figures), "have a source")
print(*map(told, evidence.figures), sep="\n")
print([figure.text for figure in evidence.unsupported])
