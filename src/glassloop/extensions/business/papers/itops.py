"""Papers on servers: the runbooks."""

from collections.abc import Sequence

from glassloop.extensions.business.desk import Desk
from glassloop.extensions.business.papers.paper import Paper, listed, paper, section, table, whole

FIRST_STEPS = (
    ("Service does not answer", "Restart the service once; if it stays silent, move traffic to the second host.",
     "重启服务一次；仍无响应则把流量切到备机。"),
    ("Disk full", "Remove rotated logs older than 14 days, then extend the volume.",
     "删除 14 天以前的归档日志，然后扩容。"),
    ("Replication stopped", "Check the network first, then start replication again from the last position.",
     "先检查网络，再从最后位置重启复制。"),
    ("Host unreachable", "Ask the site to look at power and network; open the console.",
     "请现场检查电源和网络，打开控制台。"),
    ("High CPU load", "Look for a stuck job; stop it, tell its owner.", "查找卡死的任务，停止并通知负责人。"),
    ("Certificate expires soon", "Order the new certificate; install it on the next evening.",
     "申请新证书，次日晚上安装。"),
)  # fmt: skip
TARGETS = (("critical", 15, 240), ("warning", 60, 1440), ("info", 480, 7200))
"""Minutes until somebody looks, and until it is resolved, by severity."""


def papers(desk: Desk) -> Sequence[Paper]:
    return [*_incidents(desk), *_maintenance(desk)]


def _incidents(desk: Desk) -> Sequence[Paper]:
    head = desk.one("SELECT name, email FROM biz_employees WHERE title = 'Head of IT'")
    known = {str(row["title"]) for row in desk.rows("SELECT DISTINCT title FROM biz_alerts")}
    steps = [step for step in FIRST_STEPS if step[0] in known]
    english = paper(
        "itops", "incident-runbook.md", "Runbook: incidents",
        f"As of {desk.today}. Escalation: {head['name']}, Head of IT, {head['email']}.",
        section("Targets", table(("Severity", "Somebody looks within", "Resolved within"),
                                 [(name, f"{look} minutes", f"{done} minutes") for name, look, done in TARGETS])),
        section("First steps", *(f"### {title}\n\n{todo}" for title, todo, _ in steps)),
        section("After it", listed(["Write down cause and remedy in the alert.", "Tell those who were affected."])),
    )  # fmt: skip
    chinese = paper(
        "itops", "incident-runbook.zh.md", "运维手册：故障处理",
        f"截至 {desk.today}。升级联系人：IT 主管 {head['name']}，{head['email']}。",
        section("时限", table(("级别", "响应时限", "解决时限"),
                              [(name, f"{look} 分钟", f"{done} 分钟") for name, look, done in TARGETS])),
        section("首要步骤", *(f"### {title}\n\n{todo}" for title, _, todo in steps)),
        section("事后", listed(["在告警中记录原因和措施。", "通知受影响的人员。"])),
    )  # fmt: skip
    return [english, chinese]


def _maintenance(desk: Desk) -> Sequence[Paper]:
    servers = desk.rows(
        "SELECT role, count(*) AS servers, sum(CASE WHEN environment = 'production' THEN 1 ELSE 0 END) AS production "
        "FROM biz_servers GROUP BY role ORDER BY role"
    )
    rows = [(row["role"], row["servers"], row["production"]) for row in servers]
    total = desk.one("SELECT count(*) AS servers FROM biz_servers")
    english = paper(
        "itops", "maintenance-and-backup.md", "Maintenance and backup policy",
        f"As of {desk.today} we run {whole(total, 'servers')} servers.",
        table(("Role", "Servers", "In production"), rows),
        section("Maintenance window", "Saturday 06:00 to 12:00. It is announced by mail three working days before."),
        section("Backups", "Databases every night, files every weekend; kept for 35 days. A restore is tried once a "
                "quarter."),
        section("Passwords and access", "Passwords have at least 14 characters. Access of those who leave ends the "
                "same day."),
    )  # fmt: skip
    chinese = paper(
        "itops", "maintenance-and-backup.zh.md", "维护与备份制度",
        f"截至 {desk.today}，我们有 {whole(total, 'servers')} 台服务器。",
        table(("用途", "服务器数", "生产环境"), rows),
        section("维护窗口", "每周六 06:00 至 12:00，提前三个工作日邮件通知。"),
        section("备份", "数据库每晚备份，文件每周末备份，保留 35 天。每季度做一次恢复演练。"),
        section("密码与权限", "密码不少于 14 位。离职人员的权限当天收回。"),
    )  # fmt: skip
    return [english, chinese]
