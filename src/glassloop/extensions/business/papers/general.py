"""Papers on the company as a whole."""

from collections.abc import Sequence

from glassloop.extensions.business.desk import Desk
from glassloop.extensions.business.papers.paper import Paper, paper, section, table, whole


def papers(desk: Desk) -> Sequence[Paper]:
    company = desk.one("SELECT name FROM biz_company")
    sites = desk.rows("SELECT name, city, kind FROM biz_warehouses ORDER BY warehouse_id")
    people = desk.one("SELECT count(*) AS people FROM biz_employees WHERE status = 'active'")
    customers = desk.one("SELECT count(*) AS customers FROM biz_customers WHERE status <> 'churned'")
    products = desk.one("SELECT count(*) AS products FROM biz_items WHERE kind = 'finished'")
    rows = [(row["name"], row["city"], row["kind"]) for row in sites]
    english = paper(
        "general", "company-profile.md", "Company profile",
        f"{company['name']} makes molded plastic parts. As of {desk.today}: {whole(people, 'people')} employees, "
        f"{whole(customers, 'customers')} customers, {whole(products, 'products')} products. Figures are in "
        f"{desk.currency}.",
        section("Sites", table(("Site", "City", "Kind"), rows)),
        section("Code of conduct", "We accept no gifts worth more than 50 dollars. Whoever sees a conflict of interest "
                "tells their superior and HR. Company data stays in company systems."),
        section("Quality", "We are certified to ISO 9001 and IATF 16949. A complaint gets an 8D report within ten "
                "working days."),
    )  # fmt: skip
    chinese = paper(
        "general", "company-profile.zh.md", "公司简介",
        f"{company['name']} 生产注塑件。截至 {desk.today}：员工 {whole(people, 'people')} 人，客户 "
        f"{whole(customers, 'customers')} 家，产品 {whole(products, 'products')} 种。金额单位为 {desk.currency}。",
        section("基地", table(("基地", "城市", "类型"), rows)),
        section("行为准则", "不接受价值超过 50 美元的礼品。发现利益冲突须报告上级和人事部。"
                "公司数据只保存在公司系统中。"),
        section("质量", "公司通过 ISO 9001 和 IATF 16949 认证。客户投诉须在十个工作日内提交 8D 报告。"),
    )  # fmt: skip
    return [english, chinese]
