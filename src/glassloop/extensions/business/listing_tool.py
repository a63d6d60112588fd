"""Tools made of listings: the parameters of each as a typed signature, and the function that answers it."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from pydantic import Field, WithJsonSchema

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.business.answers import finance, molds, office, purchasing, sales
from glassloop.extensions.business.listing import BusinessListing, Filter
from glassloop.extensions.business.listing_call import ListingCall
from glassloop.extensions.business.report import BusinessReport
from glassloop.extensions.business.snapshot import BusinessData
from glassloop.tools.signature import annotate
from glassloop.tools.tool import Tool, ToolContext, tool

ANSWERS: Mapping[str, Callable[[ListingCall], BusinessReport]] = {
    "get_purchase_orders": purchasing.purchase_orders,
    "get_inventory_levels": finance.inventory_levels,
    "get_financial_summary": finance.financial_summary,
    "get_vendor_price_trends": purchasing.vendor_price_trends,
    "get_top_vendors": purchasing.top_vendors,
    "get_customers": sales.customers,
    "get_deals": sales.deals,
    "get_sales_pipeline": sales.sales_pipeline,
    "get_calendar": office.calendar,
    "get_emails": office.emails,
    "search_defect_cases": molds.defect_cases,
}
"""For listings that have more to say than their rows and totals."""

_TYPES: Mapping[str, tuple[Any, Any]] = {
    "flag": (bool, False),
    "amount": (float, 0),
    "percent": (int, 0),
    "defect": (molds.DefectName, ""),
}


def listing_tool(data: BusinessData, listing: BusinessListing, cache_ttl_s: float) -> Tool:
    answer = ANSWERS.get(listing.name, ListingCall.report)

    def run(context: ToolContext, **arguments: Any) -> ToolResult:
        with data.reading(context) as snapshot:
            needed = f"biz_{listing.needs}" if listing.needs else listing.table.split()[0]
            if snapshot.is_empty(needed):
                snapshot.notes.append(f"{needed} is empty or was never imported: nothing is known of this.")
                return snapshot.report(listing.title).result()
            report = answer(ListingCall(snapshot, listing, arguments))
            for table, names in listing.parts.items():
                if snapshot.is_empty(f"biz_{table}"):
                    report.leave_out(names, f"biz_{table} is empty or was never imported")
            return report.result()

    cast("Any", run).__signature__ = signature_of(listing)
    return tool(
        name=listing.name,
        description=listing.about,
        words=words_of(listing),
        effect="read",
        integrity="untrusted" if listing.free_text else "trusted",
        confidentiality="operator",
        domain=listing.domain,
        cache_ttl_s=cache_ttl_s,
    )(run)


def words_of(listing: BusinessListing) -> dict[str, Json]:
    """What rules go by and models need not read."""
    words: dict[str, Json] = {"": listing.words} if listing.words else {}
    words |= {name: rule.words for name, rule in listing.filters.items() if rule.words}
    return words | {name: list(molds.DEFECT_NAMES) for name, rule in listing.filters.items() if rule.type == "defect"}


def signature_of(listing: BusinessListing) -> inspect.Signature:
    kind = inspect.Parameter.KEYWORD_ONLY
    context = inspect.Parameter("context", kind, annotation=ToolContext)
    return inspect.Signature([context, *(_parameter(name, rule, listing) for name, rule in listing.filters.items())])


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


def _parameter(name: str, rule: Filter, listing: BusinessListing) -> inspect.Parameter:
    hint, default = _TYPES.get(rule.type, (str, ""))
    if rule.choices:
        hint, default = cast("Any", Literal)[rule.choices], rule.choices[0]
        if name == "group_by" and listing.group:
            default = listing.group
        if rule.type == "optional choice":
            hint, default = hint | None, None
    elif rule.type == "whole":
        hint, default = int, rule.default
    if rule.type == "optional choice":
        hint = annotate(hint, [WithJsonSchema({"type": "string", "enum": list(rule.choices)})])
    if rule.about:
        hint = annotate(hint, [rule.about])
    if not default:
        # What it is when it is not given says nothing.
        hint = annotate(hint, [Field(json_schema_extra=_without_default)])
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=default)
