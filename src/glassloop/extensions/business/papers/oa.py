"""Papers on people and their days: leave, meetings, travel."""

from collections.abc import Sequence

from glassloop.extensions.business.desk import Desk
from glassloop.extensions.business.papers.paper import Paper, listed, paper, section, table, whole

LEAVE_DAYS, NOTICE_DAYS = 25, 14


def papers(desk: Desk) -> Sequence[Paper]:
    return [*_employees(desk), *_travel(desk)]


def _employees(desk: Desk) -> Sequence[Paper]:
    head = desk.one("SELECT name, email FROM biz_employees WHERE title = 'Head of HR'")
    staff = desk.rows(
        "SELECT department, count(*) AS people FROM biz_employees WHERE status = 'active' GROUP BY department "
        "ORDER BY department"
    )
    rows = [(row["department"], row["people"]) for row in staff]
    total = desk.one("SELECT count(*) AS people FROM biz_employees WHERE status = 'active'")
    rooms = desk.rows(
        "SELECT DISTINCT location FROM biz_calendar WHERE kind = 'meeting' AND location <> '' "
        "AND event_id LIKE 'EV-%' ORDER BY location"
    )
    places = [str(row["location"]) for row in rooms]
    english = paper(
        "oa", "employee-handbook.md", "Employee handbook",
        f"As of {desk.today}. Contact: {head['name']}, Head of HR, {head['email']}.",
        section("Who works here", f"{whole(total, 'people')} people.", table(("Department", "People"), rows)),
        section("Annual leave", f"Everybody has {LEAVE_DAYS} days of leave a year. Leave is asked for "
                f"{NOTICE_DAYS} days ahead, by mail to one's superior. Up to five days may be taken over until the end "
                "of March."),
        section("Sick leave", "Report on the first morning before nine; a doctor's note is needed from the third day "
                "on."),
        section("Meetings", f"Meetings are held between 08:00 and 18:00 and have a purpose in the invitation. Rooms: "
                f"{', '.join(places)}."),
        section("Remote work", "Office staff may work from home on two days a week."),
    )  # fmt: skip
    chinese = paper(
        "oa", "employee-handbook.zh.md", "员工手册",
        f"截至 {desk.today}。联系人：人事主管 {head['name']}，{head['email']}。",
        section("员工", f"共 {whole(total, 'people')} 人。", table(("部门", "人数"), rows)),
        section("年假", f"每人每年 {LEAVE_DAYS} 天年假。请假须提前 {NOTICE_DAYS} 天向上级发邮件申请。"
                "最多五天可顺延至三月底。"),
        section("病假", "当天上午九点前报告；第三天起须提供医生证明。"),
        section("会议", f"会议安排在 08:00 至 18:00 之间，邀请中须写明目的。会议室：{'、'.join(places)}。"),
        section("远程办公", "办公室人员每周可在家办公两天。"),
    )  # fmt: skip
    return [english, chinese]


def _travel(desk: Desk) -> Sequence[Paper]:
    sites = [str(row["city"]) for row in desk.rows("SELECT DISTINCT city FROM biz_warehouses ORDER BY city")]
    english = paper(
        "oa", "travel-policy.md", "Travel and expenses policy",
        f"For trips between our sites ({', '.join(sites)}) and to customers.",
        section("Booking", listed([
            "Trains before planes where the trip takes less than five hours.",
            "Economy class; premium economy for flights of more than eight hours.",
            f"Hotels up to 160 {desk.currency} a night.",
        ])),
        section("Expenses", f"Meals up to 60 {desk.currency} a day. Receipts are handed in within 30 days; later ones "
                "are not refunded."),
    )  # fmt: skip
    chinese = paper(
        "oa", "travel-policy.zh.md", "差旅与报销制度",
        f"适用于各基地（{'、'.join(sites)}）之间及拜访客户的出差。",
        section("预订", listed([
            "五小时以内的行程优先乘火车。",
            "经济舱；超过八小时的航班可乘超级经济舱。",
            f"酒店每晚不超过 160 {desk.currency}。",
        ])),
        section("报销", f"餐费每天不超过 60 {desk.currency}。票据须在 30 天内提交，逾期不予报销。"),
    )  # fmt: skip
    return [english, chinese]
