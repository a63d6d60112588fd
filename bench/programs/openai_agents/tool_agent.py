from agents import Agent, Runner, function_tool

STOCK = {"BRG-6204": 140, "INS-PA66": 820}


@function_tool
def stock_of(sku: str) -> int:
    """Units on hand of an item, such as BRG-6204."""
    return STOCK[sku]


agent = Agent(name="stock", model="gpt-5.2", tools=[stock_of])
print(Runner.run_sync(agent, "How many BRG-6204 do we have?").final_output)
