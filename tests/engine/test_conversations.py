"""Conversations over many turns, as a clerk has them: no value that a call needs is missing from the request that leads
to it, however many turns ago a tool returned it."""

import random

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core.messages import Abilities, AssistantMessage
from glassloop.models.scripted_model import call

TURNS, SEEDS = 12, 30


class Shop:
    """Customers, orders and items with ids that nobody could guess."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.known = {"customer": [], "order": [], "item": []}

    def number(self, kind):
        made = f"{kind[:2].upper()}{self.random.randrange(10**8):08}"
        self.known[kind].append(made)
        return made

    def tools(self):
        @tool(effect="read", integrity="trusted", volatile=True)
        def find_customer(name: str) -> dict[str, str]:
            """A customer by name."""
            return {"name": name, "customer_id": self.number("customer")}

        @tool(effect="read", integrity="trusted", volatile=True)
        def list_orders(customer_id: str) -> list[dict[str, str]]:
            """The orders of a customer."""
            return [{"order_id": self.number("order"), "state": "shipped", "of": customer_id} for _ in range(4)]

        @tool(effect="read", integrity="trusted", volatile=True)
        def get_order(order_id: str) -> dict[str, object]:
            """One order with its items."""
            items = [{"item_id": self.number("item"), "price": f"{self.random.randrange(10**5) / 100:.2f}"}] * 1
            return {"order_id": order_id, "items": items, "history": ["packed", "sent"] * 20}

        @tool(effect="write", integrity="trusted")
        def return_item(order_id: str, item_id: str) -> str:
            """Takes an item back."""
            return f"{item_id} of {order_id} comes back"

        return [find_customer, list_orders, get_order, return_item]

    def next_call(self):
        """A call whose arguments somebody was told in this or an earlier turn."""
        known, choice = self.known, self.random.choice
        ways = [lambda: call("find_customer", name=f"Ann {self.random.randrange(1000)}")]
        if known["customer"]:
            ways.append(lambda: call("list_orders", customer_id=choice(known["customer"])))
        if known["order"]:
            ways.append(lambda: call("get_order", order_id=choice(known["order"])))
        if known["item"]:
            ways.append(lambda: call("return_item", order_id=choice(known["order"]), item_id=choice(known["item"])))
        return choice(ways)()


class Clerk(ScriptedModel):
    """Makes calls as long as the turn lasts, and notes what its request lacked."""

    def __init__(self, shop, abilities):
        super().__init__((), abilities=abilities)
        self.shop, self.lacked, self.made, self.left = shop, [], 0, 0

    def stream(self, request):
        if request.purpose != "decide" or not self.left:
            return ScriptedModel(["Done."], abilities=self.abilities).stream(request)
        self.left -= 1
        line = self.shop.next_call()
        text = "\n".join(
            f"{message.text} {message.calls}" if isinstance(message, AssistantMessage) else message.content
            for message in request.messages
        )
        (wanted,) = line.calls if hasattr(line, "calls") else (line,)
        self.made += 1
        self.lacked += [value for name, value in wanted.args.items() if name != "name" and value not in text]
        return ScriptedModel([line], abilities=self.abilities).stream(request)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_no_value_that_a_call_needs_is_missing_from_the_request_that_leads_to_it(seed):
    shop = Shop(seed)
    model = Clerk(shop, Abilities(native_tools=True, context_tokens=128_000))
    agent = Agent(model, shop.tools(), max_iterations=6)
    for number in range(TURNS):
        model.left = shop.random.randrange(1, 4)
        await agent.run(f"Question {number}", session_id="s")
    assert model.made >= TURNS
    assert model.lacked == []
