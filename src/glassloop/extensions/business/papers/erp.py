"""Papers on buying and stock."""

from collections.abc import Sequence

from glassloop.extensions.business.desk import Desk
from glassloop.extensions.business.papers.paper import Paper, listed, money, paper, section, table, whole

BUYER_CENTS, HEAD_CENTS = 1_000_000, 5_000_000
"""What a buyer, and the head of purchasing, may order alone."""

QUOTES_CENTS = 500_000
"""From here on an order needs three offers."""


def papers(desk: Desk) -> Sequence[Paper]:
    return [*_policy(desk), *_warehouses(desk)]


def _policy(desk: Desk) -> Sequence[Paper]:
    head = desk.one("SELECT name, email FROM biz_employees WHERE title = 'Head of Purchasing'")
    vendors = desk.one(
        "SELECT count(*) AS vendors, sum(CASE WHEN status = 'blocked' THEN 1 ELSE 0 END) AS blocked FROM biz_vendors"
    )
    terms = [str(row["days"]) for row in desk.rows("SELECT DISTINCT payment_days AS days FROM biz_vendors ORDER BY 1")]
    over = desk.one(
        "SELECT count(*) AS orders FROM biz_purchase_orders WHERE total_cents > :limit", {"limit": HEAD_CENTS}
    )
    groups = desk.rows("SELECT category, count(*) AS vendors FROM biz_vendors GROUP BY category ORDER BY category")
    rows = [(row["category"], row["vendors"]) for row in groups]
    buyer, lead, quotes = (money(cents, desk.currency) for cents in (BUYER_CENTS, HEAD_CENTS, QUOTES_CENTS))
    english = paper(
        "erp", "procurement-policy.md", "Procurement policy",
        f"Valid as of {desk.today}. Contact: {head['name']}, Head of Purchasing, {head['email']}.",
        section("Approval limits", listed([
            f"A buyer may place orders of up to {buyer} alone.",
            f"The Head of Purchasing approves orders of up to {lead}.",
            f"Orders above {lead} need the signature of a director. So far there were {whole(over, 'orders')} of them.",
        ])),
        section("Offers", f"Orders of {quotes} or more need three written offers. Offers are kept for ten years."),
        section("Vendors", f"We buy from {whole(vendors, 'vendors')} vendors. Those that are blocked, now "
                f"{whole(vendors, 'blocked')}, get no new orders until Quality releases them.",
                table(("Category", "Vendors"), rows)),
        section("Payment terms", f"Agreed terms are {', '.join(terms)} days net after the invoice. Prepayment is not "
                "allowed without the consent of Finance."),
        section("Late deliveries", "An order is late when it is past its due date and not all of it has arrived. After "
                "three working days the buyer sends a reminder, after ten the vendor is rated down."),
    )  # fmt: skip
    chinese = paper(
        "erp", "procurement-policy.zh.md", "采购制度",
        f"截至 {desk.today} 有效。联系人：采购主管 {head['name']}，{head['email']}。",
        section("审批权限", listed([
            f"采购员可单独审批不超过 {buyer} 的采购订单。",
            f"采购主管审批不超过 {lead} 的采购订单。",
            f"超过 {lead} 的采购订单须由总监签字。至今共有 {whole(over, 'orders')} 张。",
        ])),
        section("询价", f"金额达到 {quotes} 的采购须有三份书面报价。报价单保存十年。"),
        section("供应商", f"我们共有 {whole(vendors, 'vendors')} 家供应商，其中 {whole(vendors, 'blocked')} 家已冻结，"
                "在质量部放行之前不得下新订单。", table(("类别", "供应商数"), rows)),
        section("付款条件", f"约定账期为收到发票后 {'、'.join(terms)} 天。未经财务同意不得预付。"),
        section("逾期交货", "超过交期仍未全部到货的订单为逾期订单。"
                "逾期三个工作日后采购员催交，十个工作日后下调供应商评级。"),
    )  # fmt: skip
    return [english, chinese]


def _warehouses(desk: Desk) -> Sequence[Paper]:
    sites = desk.rows("SELECT warehouse_id, name, city, kind FROM biz_warehouses ORDER BY warehouse_id")
    rows = [(row["warehouse_id"], row["name"], row["city"], row["kind"]) for row in sites]
    points = desk.rows(
        "SELECT item_id, name, reorder_point, unit FROM biz_items WHERE kind = 'material' ORDER BY item_id"
    )
    materials = [(row["item_id"], row["name"], f"{row['reorder_point']:,}", row["unit"]) for row in points]
    head = desk.one("SELECT name, email FROM biz_employees WHERE title = 'Head of Logistics'")
    english = paper(
        "erp", "warehouse-handbook.md", "Warehouse handbook",
        f"As of {desk.today}. Contact: {head['name']}, Head of Logistics, {head['email']}.",
        section("Warehouses", table(("Id", "Name", "City", "Kind"), rows)),
        section("Receiving goods", "Count, compare with the purchase order, post the receipt the same day. What is "
                "damaged goes to the blocked area and to Quality."),
        section("Stock counts", "Every position is counted once a year; differences of more than 2 % are reported to "
                "Finance before they are posted."),
        section("Reorder points", f"A material is bought again when the stock of a warehouse falls below its reorder "
                f"point. There are {len(materials)} materials.",
                table(("Item", "Name", "Reorder point", "Unit"), materials)),
    )  # fmt: skip
    chinese = paper(
        "erp", "warehouse-handbook.zh.md", "仓库手册",
        f"截至 {desk.today}。联系人：物流主管 {head['name']}，{head['email']}。",
        section("仓库", table(("编号", "名称", "城市", "类型"), rows)),
        section("收货", "清点数量，核对采购订单，当天入账。破损货物放入冻结区并通知质量部。"),
        section("盘点", "每个库位每年盘点一次；差异超过 2 % 须先报财务再入账。"),
        section("再订货点", f"某仓库的物料库存低于再订货点时须补货。共有 {len(materials)} 种物料。",
                table(("物料", "名称", "再订货点", "单位"), materials)),
    )  # fmt: skip
    return [english, chinese]
