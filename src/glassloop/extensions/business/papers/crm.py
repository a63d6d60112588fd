"""Papers on selling, and the product sheets."""

from collections.abc import Sequence

from glassloop.extensions.business.desk import Desk
from glassloop.extensions.business.papers.paper import Paper, listed, money, paper, section, table, whole

OWN_PERCENT, HEAD_PERCENT = 5, 12
"""How much discount an account manager, and the head of sales, may give."""


def papers(desk: Desk) -> Sequence[Paper]:
    return [*_handbook(desk), *_products(desk)]


def _handbook(desk: Desk) -> Sequence[Paper]:
    head = desk.one("SELECT name, email FROM biz_employees WHERE title = 'Head of Sales'")
    stages = desk.rows("SELECT DISTINCT stage, probability FROM biz_deals ORDER BY probability, stage")
    regions = desk.rows("SELECT region, count(*) AS customers FROM biz_customers GROUP BY region ORDER BY region")
    there = desk.one("SELECT count(*) AS customers FROM biz_customers WHERE status <> 'churned'")
    rates = [(row["stage"], f"{row['probability']} %") for row in stages]
    areas = [(row["region"], row["customers"]) for row in regions]
    english = paper(
        "crm", "sales-handbook.md", "Sales handbook",
        f"As of {desk.today}. Contact: {head['name']}, Head of Sales, {head['email']}.",
        section("Stages of a deal", "The weighted pipeline counts each deal at the probability of its stage.",
                table(("Stage", "Probability"), rates)),
        section("Discounts", listed([
            f"An account manager may give up to {OWN_PERCENT} % discount.",
            f"The Head of Sales may give up to {HEAD_PERCENT} %.",
            "Anything above needs a director.",
        ])),
        section("Customers", f"{whole(there, 'customers')} customers are with us today. By region, those that left "
                "included:", table(("Region", "Customers"), areas)),
        section("Churn", "A customer counts as churned when the last contract ended and none follows. An account "
                "manager calls every customer at risk once a week."),
        section("Leads", "A new lead is contacted within two working days. A lead becomes a deal when quantity, part "
                "and date are known."),
    )  # fmt: skip
    chinese = paper(
        "crm", "sales-handbook.zh.md", "销售手册",
        f"截至 {desk.today}。联系人：销售主管 {head['name']}，{head['email']}。",
        section("商机阶段", "加权销售漏斗按各阶段的成交概率计算。", table(("阶段", "概率"), rates)),
        section("折扣权限", listed([
            f"客户经理最多可给 {OWN_PERCENT} % 折扣。",
            f"销售主管最多可给 {HEAD_PERCENT} % 折扣。",
            "超过部分须由总监批准。",
        ])),
        section("客户", f"目前有 {whole(there, 'customers')} 家客户。各区域客户数（含已流失）：",
                table(("区域", "客户数"), areas)),
        section("客户流失", "最后一份合同到期且没有续签的客户为流失客户。客户经理每周至少联系一次有流失风险的客户。"),
        section("线索", "新线索须在两个工作日内联系。数量、零件和交期明确后，线索转为商机。"),
    )  # fmt: skip
    return [english, chinese]


def _products(desk: Desk) -> Sequence[Paper]:
    """A sheet for each product line: what it holds and what it costs."""
    items = desk.rows(
        "SELECT i.item_id, i.name, i.category, i.price_cents, i.unit, (SELECT min(m.material) FROM biz_molds m "
        "WHERE m.part_id = i.item_id) AS material FROM biz_items i WHERE i.kind = 'finished' "
        "ORDER BY i.category, i.item_id"
    )
    found: list[Paper] = []
    for line in dict.fromkeys(str(item["category"]) for item in items):
        own = [item for item in items if item["category"] == line]
        rows = [
            (item["item_id"], item["name"], money(item["price_cents"], desk.currency), item["material"] or "–")
            for item in own
        ]
        slug = line.lower().replace(" ", "-")
        found += [
            paper(
                "crm", f"products-{slug}.md", f"Product sheet: {line}",
                f"{len(own)} products, list prices for one piece as of {desk.today}. Prices hold for 30 days; the "
                "smallest order is 100 pieces.",
                table(("Item", "Product", "List price", "Resin"), rows),
            ),
            paper(
                "crm", f"products-{slug}.zh.md", f"产品资料：{line}",
                f"共 {len(own)} 种产品，截至 {desk.today} 的单件标价。报价有效期 30 天，起订量 100 件。",
                table(("编号", "产品", "标价", "树脂"), rows),
            ),
        ]  # fmt: skip
    return found
