"""reflex chooses the right tool with the right arguments: English over real tools, Chinese over made-up ones."""

from pathlib import Path
from typing import Any

import pytest

from glassloop.core.messages import ModelRequest, Reply, ToolSpec, UserMessage
from glassloop.core.records import Json, ToolCall
from glassloop.extensions.general.tools import make_tools
from glassloop.models.reflex import ReflexModel


async def decide(question: str, tools: list[ToolSpec]) -> ToolCall | None:
    request = ModelRequest(system="", messages=[UserMessage(question)], tools=tools)
    (reply,) = [chunk async for chunk in ReflexModel().stream(request) if isinstance(chunk, Reply)]
    assert len(reply.message.calls) <= 1
    return reply.message.calls[0] if reply.message.calls else None


@pytest.fixture
def general(tmp_path: Path) -> list[ToolSpec]:
    return [made.spec for made in make_tools(tmp_path)]


@pytest.mark.parametrize(
    ("question", "tool", "args"),
    [
        ("What is 15% of 230?", "calculate", {"expression": "15% of 230"}),
        ("Calculate (3+4)^2 / 7", "calculate", {"expression": "(3+4)^2 / 7"}),
        ("what's 12 divided by 5?", "calculate", {"expression": "12 divided by 5"}),
        ("I need 20% off 80", "calculate", {"expression": "20% off 80"}),
        ("how much is max(3, 8, 2)?", "calculate", {"expression": "max(3, 8, 2)"}),
        ("What is the square root of 144?", "calculate", {"expression": "sqrt(144)"}),
        ("What time is it in Tokyo?", "current_time", {"timezone": "Tokyo"}),
        ("What time is it in Tokyo and then in Berlin?", "current_time", {"timezone": "Tokyo"}),
        ("What time is it?", "current_time", {}),
        ("what is the current date in New York right now?", "current_time", {"timezone": "New York"}),
        ("What day is it today?", "current_time", {}),
        (
            "Convert 26.2 miles to kilometers",
            "convert_units",
            {"value": 26.2, "from_unit": "miles", "to_unit": "kilometers"},
        ),
        (
            "How many ounces are in 2 pounds?",
            "convert_units",
            {"value": 2, "from_unit": "pounds", "to_unit": "ounces"},
        ),
        ("100 F in C", "convert_units", {"value": 100, "from_unit": "F", "to_unit": "C"}),
        ("Remember that my sister's birthday is 3 May", "remember", {"text": "my sister's birthday is 3 May"}),
        ("Can you remember that I live in Paris?", "remember", {"text": "I live in Paris"}),
        ("What do you remember about my sister?", "recall", {"query": "sister"}),
        ("what do you remember?", "recall", {}),
        ("show me my 3 latest notes", "recall", {"limit": 3}),
        ("Forget note 3", "forget", {"note_id": 3}),
        ('Add "call mom" to the to-do list', "todo", {"action": "add", "text": "call mom"}),
        ("Add buy milk to my todo list", "todo", {"action": "add", "text": "buy milk"}),
        ("What's on my todo list?", "todo", {"action": "list"}),
        ("Mark item 2 as done", "todo", {"action": "done", "item": 2}),
        ("clear the todo list", "todo", {"action": "clear"}),
        ("5公里是多少英里？", "convert_units", {"value": 5, "from_unit": "公里", "to_unit": "英里"}),
        ("12乘以5等于多少", "calculate", {"expression": "12乘以5"}),
    ],
)
async def test_the_right_tool_is_called_with_the_right_arguments(
    general: list[ToolSpec], question: str, tool: str, args: dict[str, Json]
) -> None:
    call = await decide(question, general)
    assert call is not None
    assert (call.tool, call.args) == (tool, args)


@pytest.mark.parametrize(
    "question",
    ["hello", "Who wrote Faust?", "Tell me a joke", "Explain recursion to me", "what is 5 feet 3 inches in cm", ""],
)
async def test_no_tool_is_called_where_none_fits(general: list[ToolSpec], question: str) -> None:
    assert await decide(question, general) is None


async def test_a_note_with_a_time_in_it_does_not_delete_a_note(general: list[ToolSpec]) -> None:
    call = await decide("Note that the meeting is at 5", general)
    assert call is not None
    assert call.tool == "remember"


def spec(name: str, description: str, effect: Any = "read", **properties: Any) -> ToolSpec:
    """Parameters whose schema has a default are optional."""
    required = [key for key, schema in properties.items() if "default" not in schema]
    schema = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name=name, description=description, effect=effect, parameters=schema)


def text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


SHOP = [
    spec("track_shipment", "查询订单的物流状态和快递进度", order_id=text("订单编号，如 SO-1001")),
    spec(
        "check_stock",
        "查询商品库存数量",
        sku=text("商品编号"),
        warehouse=text("仓库", enum=["上海", "广州", "北京"], default="上海"),
    ),
    spec("search_policy", "搜索公司政策文档", query=text("要搜索的内容")),
    spec("weather", "查询城市的天气预报", city=text("城市名")),
    spec(
        "create_leave",
        "提交请假申请",
        "write",
        start_date=text("开始日期", format="date"),
        end_date=text("结束日期", format="date"),
    ),
    spec(
        "top_products",
        "查询销量最高的商品排行",
        limit={"type": "integer", "description": "返回前几名", "minimum": 1, "maximum": 50, "default": 10},
    ),
    spec("cancel_order", "取消订单", "write", order_id=text("订单编号")),
]


@pytest.mark.parametrize(
    ("question", "tool", "args"),
    [
        ("订单 SO-1001 的物流到哪了？", "track_shipment", {"order_id": "SO-1001"}),
        ("查一下订单1001的物流", "track_shipment", {"order_id": "1001"}),
        ("SKU-88 在广州仓库还有多少库存？", "check_stock", {"sku": "SKU-88", "warehouse": "广州"}),
        ("搜索关于报销流程的政策", "search_policy", {"query": "报销流程"}),
        ("北京的天气怎么样？", "weather", {"city": "北京"}),
        ("明天上海天气", "weather", {"city": "上海"}),
        (
            "提交请假申请，2026年11月3日到2026-11-05",
            "create_leave",
            {"start_date": "2026-11-03", "end_date": "2026-11-05"},
        ),
        ("销量前5的商品有哪些", "top_products", {"limit": 5}),
        ("取消订单 SO-1001", "cancel_order", {"order_id": "SO-1001"}),
    ],
)
async def test_chinese_questions_find_chinese_tools(question: str, tool: str, args: dict[str, Json]) -> None:
    call = await decide(question, SHOP)
    assert call is not None
    assert (call.tool, call.args) == (tool, args)


@pytest.mark.parametrize("question", ["你好", "给我讲个笑话"])
async def test_chinese_small_talk_calls_no_tool(question: str) -> None:
    assert await decide(question, SHOP) is None


async def test_a_required_parameter_that_nothing_fits_rules_the_tool_out() -> None:
    assert await decide("取消订单", SHOP) is None


ORDERS = [
    spec(
        "find_orders",
        "Search customer orders by status and date.",
        status=text("Order status", enum=["open", "shipped", "cancelled"], default="open"),
        customer_id=text("Customer id", default=""),
        since={"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        limit={"type": ["integer", "null"], "maximum": 100, "default": 20},
        archived={"type": "boolean", "default": False},
    ),
    spec("average", "Average of numbers.", values={"type": "array", "items": {"type": "number"}}),
    spec("delete_order", "Delete an order.", "write", order_id=text("Order id")),
    spec("compare", "Compare products.", skus={"type": "array", "items": {"type": "string"}}),
    spec("set_mode", "Switch the heating mode.", "write", mode={"$ref": "#/$defs/Mode"}),
]
ORDERS[-1].parameters["$defs"] = {"Mode": {"type": "string", "enum": ["eco", "comfort"]}}


@pytest.mark.parametrize(
    ("question", "tool", "args"),
    [
        (
            "find the first 5 shipped orders of customer C-77 since 3 Nov 2026",
            "find_orders",
            {"status": "shipped", "customer_id": "C-77", "since": "2026-11-03", "limit": 5},
        ),
        ("search archived orders status=cancelled", "find_orders", {"status": "cancelled", "archived": True}),
        ("search orders, not archived", "find_orders", {"archived": False}),
        ("average of 3, 4.5 and 9", "average", {"values": [3, 4.5, 9]}),
        ("compare products SKU-1 and SKU-22", "compare", {"skus": ["SKU-1", "SKU-22"]}),
        ("delete order SO-9", "delete_order", {"order_id": "SO-9"}),
        ("switch the heating to comfort", "set_mode", {"mode": "comfort"}),
    ],
)
async def test_arguments_are_taken_by_the_type_in_the_schema(question: str, tool: str, args: dict[str, Json]) -> None:
    call = await decide(question, ORDERS)
    assert call is not None
    assert (call.tool, call.args) == (tool, args)


async def test_an_effect_is_not_started_by_an_identifier_alone() -> None:
    only_effects = [tool for tool in ORDERS if tool.effect == "write"]
    assert await decide("SO-9", only_effects) is None
