"""A small firm's tools, described in English only, for questions in other words and other languages."""

from typing import Any

from glassloop.core.messages import ToolSpec


def spec(name: str, description: str, effect: Any = "read", /, **properties: Any) -> ToolSpec:
    """Parameters whose schema has a default are optional."""
    required = [key for key, schema in properties.items() if "default" not in schema]
    schema = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name=name, description=description, effect=effect, parameters=schema)


def text(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def number(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "number", "description": description, **more}


FIRM = [
    spec("get_forecast", "Weather forecast for a city for the coming days.", city=text("City")),
    spec(
        "route_time",
        "Travel time and distance between two places.",
        origin=text("Where it starts"),
        destination=text("Where it ends"),
        mode=text("How", enum=["car", "train"], default="car"),
    ),
    spec(
        "exchange_money",
        "Exchange an amount of money into another currency at today's rate.",
        amount=number("How much"),
        from_currency=text("Code such as EUR"),
        to_currency=text("Code such as USD"),
    ),
    spec("find_colleague", "Contact details of a colleague: phone, e-mail, office.", name=text("Name or part of it")),
    spec("list_meetings", "Meetings in the calendar on a day.", date=text("Day, YYYY-MM-DD", default="")),
    spec(
        "schedule_meeting",
        "Put a meeting into the calendar.",
        "write",
        title=text("What it is about"),
        date=text("Day"),
        time=text("Start, HH:MM"),
    ),
    spec("cancel_meeting", "Take a meeting off the calendar.", "write", meeting_id=text("Meeting id, like M-301")),
    spec("stock_level", "How many pieces of an article are in the warehouse.", article=text("Such as AR-220")),
    spec(
        "price_quote",
        "Price for a quantity of an article, with its discount.",
        article=text("Article number, such as AR-220"),
        quantity={"type": "integer", "description": "Pieces"},
    ),
    spec("order_details", "One order with its articles and state.", order_id=text("Number such as ORD-50012")),
    spec("parcel_status", "Where a parcel is and when it arrives.", parcel_id=text("Such as PX-90012")),
    spec(
        "refund_order",
        "Pay a customer's money back for an order.",
        "write",
        order_id=text("Order number, such as ORD-50012"),
        amount=number("How much"),
    ),
    spec("search_handbook", "Search the company handbook: rules and policies.", query=text("Words to look for")),
    spec("send_message", "Send a chat message to a colleague.", "external", recipient=text("Who"), text=text("What")),
]
