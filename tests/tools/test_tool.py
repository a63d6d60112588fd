"""Tools made of functions and of classes: what they offer, and what is refused when they are made."""

import functools
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel, Field

from glassloop.core.errors import BadArguments, ToolError, UsageError
from glassloop.core.messages import ToolSpec
from glassloop.core.records import ToolResult
from glassloop.tools.tool import Tool, ToolContext, tool


@tool
async def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


@tool(effect="read", volatile=True, domain="crm", timeout_s=5, retries=0, cache_ttl_s=60, required=True)
def shout(text: str) -> str:
    """Say it loudly."""
    return text.upper()


class Weather(Tool):
    name = "weather"
    description = "Tell the weather."
    effect = "read"
    confirm = True

    class Input(BaseModel):
        city: str = Field(description="Where.")
        days: int = 1

    async def execute(self, given: "Weather.Input", context: ToolContext) -> Any:
        return {"city": given.city, "days": given.days, "for": context.user}


class Nothing(Tool):
    name = "nothing"

    async def execute(self, given: Any, context: ToolContext) -> None:
        return None


def test_a_bare_decorator_gives_a_tool_with_schema_and_description():
    assert add.name == "add"
    assert add.description == "Add two numbers."
    assert add.requires_confirmation is False
    assert add.parameter_schema == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "The first."},
            "b": {"type": "integer", "description": "The second.", "default": 2},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    assert add.spec == ToolSpec(
        name="add", description="Add two numbers.", parameters=add.parameter_schema, waits=False
    )
    assert add.spec.effect == "external"


async def waiting(text: str) -> str:
    """Wait."""
    return await soon(text)


async def opening(text: str) -> str:
    """Open."""
    async with closing(text):
        return text


async def collecting(text: str) -> list[str]:
    """Collect."""
    return [one async for one in pieces(text)]


async def soon(text: str) -> str:
    """Defines what waits, and does not wait itself."""

    async def inner():
        await other()

    async def other():
        pass

    return text if inner else ""


async def pieces(text):
    yield text


@asynccontextmanager
async def closing(text):
    yield text


@pytest.mark.parametrize("function", [waiting, opening, collecting, functools.partial(soon), shout.__wrapped__])
def test_a_function_with_a_place_to_wait_may_wait(function):
    assert tool(name="one", description="One.")(function).spec.waits


@pytest.mark.parametrize("function", [add.__wrapped__, soon])
def test_an_async_function_without_one_never_waits(function):
    assert not tool(name="one", description="One.")(function).spec.waits


def test_what_a_function_is_told_while_it_runs_is_reason_to_show_it():
    @tool
    async def telling(context: ToolContext) -> str:
        """Tell."""
        context.progress("half", 0.5)
        return "done"

    assert telling.spec.waits
    assert Nothing().spec.waits


def test_options_are_in_the_spec():
    spec = shout.spec
    assert (spec.effect, spec.volatile, spec.domain, spec.required) == ("read", True, "crm", True)
    assert (spec.timeout_s, spec.retries, spec.cache_ttl_s) == (5.0, 0, 60.0)
    assert tool(name="sum", idempotent=True, confirm=True, description="Sum.")(add.__wrapped__).spec == ToolSpec(
        name="sum", description="Sum.", parameters=add.parameter_schema, idempotent=True, confirm=True, waits=False
    )


async def test_the_decorated_function_is_called_as_before():
    assert await add(1) == 3
    assert await add(1, b=5) == 6
    assert shout("hey") == "HEY"
    assert (add.__name__, add.__doc__.splitlines()[0]) == ("add", "Add two numbers.")


async def test_a_tool_can_be_executed_by_hand():
    assert await add.execute({"a": 1}) == ToolResult(success=True, output="3", data=3)
    assert (await shout.execute(text="hey")).output == "HEY"
    with pytest.raises(BadArguments, match="'a' is missing"):
        await add.execute(b=1)


async def test_a_class_is_a_tool_with_the_same_interface():
    weather = Weather()
    assert weather.requires_confirmation
    assert weather.spec.effect == "read"
    assert weather.parameter_schema["properties"]["city"] == {"type": "string", "description": "Where."}
    assert weather.parameter_schema["additionalProperties"] is False
    assert weather.validate_params({"city": "Oslo"}) is None
    assert "there is no 'town'" in weather.validate_params({"city": "Oslo", "town": 1})
    given = weather.validate({"city": "Oslo"})
    assert isinstance(given, Weather.Input)
    assert (await weather.execute(given, ToolContext(user="ada")))["for"] == "ada"


def test_a_class_without_input_takes_no_arguments():
    assert Nothing().parameter_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert Nothing().validate_params({}) is None
    assert "it takes no arguments" in Nothing().validate_params({"x": 1})
    assert Nothing().spec.description == "nothing"


def test_a_class_decides_itself_about_unknown_arguments_when_it_says_so():
    class Open(Nothing):
        class Input(BaseModel, extra="allow"):
            pass

    assert Open().validate_params({"anything": 1}) is None


def test_each_provider_gets_its_own_shape():
    assert add.to_anthropic_schema() == {
        "name": "add",
        "description": "Add two numbers.",
        "input_schema": add.parameter_schema,
    }
    assert add.to_openai_schema() == {
        "type": "function",
        "function": {"name": "add", "description": "Add two numbers.", "parameters": add.parameter_schema},
    }
    gemini = add.to_gemini_schema()["parameters_json_schema"]
    assert gemini["properties"]["b"] == {"type": "integer", "description": "The second."}
    assert Nothing().to_gemini_schema()["parameters_json_schema"]["properties"] == {}


def test_changing_a_provider_schema_does_not_change_the_tool():
    add.to_anthropic_schema()["input_schema"]["properties"].clear()
    assert list(add.parameter_schema["properties"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, ["'a' is missing", "Allowed: a, b."]),
        ({"a": "x"}, ["'a': input should be a valid integer", "not 'x'"]),
        ({"a": 1, "bb": 2}, ["there is no 'bb' (did you mean 'b'?)", "Allowed: a, b."]),
        ({"a": None, "b": [], "zzz": 1}, ["'a':", "'b':", "there is no 'zzz'."]),
        ([1], ["must be a JSON object, not [1]"]),
        (None, ["must be a JSON object, not None"]),
        ({"a": "x" * 10_000}, ["'a':"]),
        ({f"n{number}": number for number in range(100)}, ["(and 93 more faults)"]),
    ],
)
def test_bad_arguments_are_told_field_by_field_within_bounds(args, said):
    problem = add.validate_params(args)
    assert problem.startswith("Bad arguments for 'add': ")
    assert len(problem) < 1500
    for words in said:
        assert words in problem


def test_good_arguments_have_no_problem():
    assert add.validate_params({"a": 1}) is None
    assert add.validate_params({"a": "1", "b": 2.0}) is None


async def test_a_context_parameter_is_filled_in_and_hidden():
    @tool
    async def who(context: ToolContext, greeting: str = "Hi") -> str:
        """Greet."""
        return f"{greeting} {context.user} {context.idempotency_key}"

    assert list(who.parameter_schema["properties"]) == ["greeting"]
    assert who.spec.reports_progress
    assert not add.spec.reports_progress
    result = await who.execute({}, ToolContext(user="ada", turn_id="t", call_id="c"))
    assert result.output == "Hi ada t:c"


async def test_an_optional_context_parameter_counts_too():
    @tool
    async def who(context: ToolContext | None = None) -> str:
        """Greet."""
        return context.user if context else "nobody"

    assert who.parameter_schema["properties"] == {}
    assert await who() == "nobody"
    assert (await who.execute({})).output == "anonymous"


async def test_parameters_with_names_that_pydantic_keeps_still_work():
    @tool
    async def odd(schema: str, copy: int = 1, _private: int = 2, model_config: str = "m") -> list[Any]:
        """Odd names.

        Args:
            schema: The schema.
        """
        return [schema, copy, _private, model_config]

    assert list(odd.parameter_schema["properties"]) == ["schema", "copy", "_private", "model_config"]
    assert odd.parameter_schema["properties"]["schema"]["description"] == "The schema."
    assert (await odd.execute({"schema": "s", "_private": 5})).data == ["s", 1, 5, "m"]
    assert "'schema' is missing" in odd.validate_params({})


async def test_bound_methods_and_partials_can_be_tools():
    class Shop:
        def __init__(self, tax: int) -> None:
            self.tax = tax

        async def price(self, net: int) -> int:
            """The price."""
            return net + self.tax

    assert (await tool(Shop(3).price).execute({"net": 4})).data == 7
    half = functools.partial(add.__wrapped__, b=10)
    made = tool(name="half")(half)
    assert (await made.execute({"a": 1})).data == 11


def make(option: str, value: Any) -> Any:
    return tool(**{option: value})(add.__wrapped__)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("effect", "reads", "effect 'reads' is not known; use 'read', 'write' or 'external'"),
        ("timeout_s", 0, "timeout_s is 0"),
        ("timeout_s", float("inf"), "timeout_s is inf"),
        ("cache_ttl_s", -1, "cache_ttl_s is -1"),
        ("retries", 1.5, "retries is 1.5"),
        ("retries", True, "retries is True"),
        ("retries", 2, "cannot be tried again"),
        ("retry_on", (OSError,), "idempotent=True"),
        ("name", "two words", "'two words' cannot be a tool's name"),
        ("name", "x" * 65, "cannot be a tool's name"),
        ("name", "1st", "'1st' cannot be a tool's name"),
        ("timeout", 3, "no option 'timeout'. Did you mean 'timeout_s'?"),
        ("preview", lambda a: a, "parameter 'a' has no annotation"),
    ],
)
def test_an_option_that_cannot_work_is_refused_with_the_remedy(option, value, said):
    with pytest.raises(UsageError) as caught:
        make(option, value)
    assert said in str(caught.value)


def test_a_preview_with_other_parameters_is_refused():
    def other(a: int) -> str:
        return ""

    with pytest.raises(UsageError, match=r"its preview takes \(a\) and the tool \(a, b\)"):
        make("preview", other)


def test_a_class_whose_execute_is_not_async_is_refused():
    class Plain(Tool):
        name = "plain"

        def execute(self, given: Any, context: ToolContext) -> Any:
            return 1

    with pytest.raises(UsageError, match="write 'execute' as 'async def'"):
        _ = Plain().spec


def test_a_class_whose_input_is_not_a_model_is_refused():
    class Wrong(Nothing):
        Input = dict

    with pytest.raises(UsageError, match="make it a Pydantic model"):
        _ = Wrong().spec


def test_a_renamed_tool_is_the_same_but_for_its_name():
    other = add.renamed("plus")
    assert (other.name, other.spec.name, add.spec.name) == ("plus", "plus", "add")
    assert other.validate_params({}).startswith("Bad arguments for 'plus'")


def test_progress_is_bounded_and_harmless_without_a_listener():
    ToolContext().progress("half way", 0.5)
    heard = []
    context = ToolContext(report=lambda message, fraction: heard.append((message, fraction)))
    context.progress("x" * 1000, 7)
    context.progress("on", float("nan"))
    context.progress("off")
    assert heard == [("x" * 500, 1.0), ("on", None), ("off", None)]


def test_the_decorator_can_be_imported_without_pydantic():
    code = (
        "import sys\n"
        "from glassloop.tools.tool import tool, Tool, ToolContext\n"
        "import glassloop.tools.execution.orchestrator\n"
        "assert 'pydantic' not in sys.modules and 'pydantic_core' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


async def test_what_a_function_raises_by_hand_comes_out_as_it_is():
    @tool
    async def fails() -> None:
        """Fails."""
        raise ToolError("no")

    with pytest.raises(ToolError, match="no"):
        await fails.execute()
