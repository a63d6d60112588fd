"""Stored and served records keep the names of the contract; programs out there read them."""

from typing import get_args

import pytest

from glassloop.core import records as r
from glassloop.core.errors import ErrorType
from glassloop.projections.response import legacy
from glassloop.server.http.errors import ErrorResponse
from glassloop.store.records import Session, SessionMessage

FIELDS = {
    r.ToolCall: "id tool args",
    r.ToolResult: "success output error data metadata requires_confirmation cached duration_ms",
    r.ReActStep: "step_number thought action observation status state model_tier timestamp",
    r.ExecutionPlan: "query complexity steps estimated_iterations",
    r.PlanStep: "step_number description tool_name parameters required depends_on",
    r.QualityEvaluation: "completeness_score quality_score missing_info needs_retry suggestions",
    r.ReactResponse: "success response steps plan evaluation session_id execution_time error",
    r.ConversationTurn: "id session_id user_query agent_response steps plan evaluation created_at",
    r.ReasoningStep: "type content tool_name tool_args timestamp",
    r.RouteDecision: "destination reasoning secondary_domains",
    ErrorResponse: "success error error_type details suggestions timestamp",
    Session: "id user_id channel started_at ended_at message_count status rating rating_note metadata",
    SessionMessage: "id role content reasoning_trace tool_calls tokens_prompt tokens_completion latency_ms created_at",
}


@pytest.mark.parametrize("record", FIELDS, ids=lambda record: record.__name__)
def test_a_record_has_the_fields_of_the_contract_first_and_in_order(record):
    wanted = FIELDS[record].split()
    assert list(record.__struct_fields__[: len(wanted)]) == wanted


def test_errors_are_of_the_five_kinds():
    assert set(get_args(ErrorType)) == {"llm_error", "tool_error", "db_error", "validation_error", "system_error"}


def test_the_legacy_answer_has_its_five_fields():
    told = legacy(r.ReactResponse(success=True, response="Yes.", session_id="s"))
    assert set(told) == {"success", "message", "data", "error", "session_id"}
