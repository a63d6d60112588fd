"""Papers on molds: the defect handbook and how trials are run."""

from collections.abc import Sequence

from glassloop.extensions.business.defects import CATALOGUE
from glassloop.extensions.business.desk import Desk
from glassloop.extensions.business.papers.paper import Paper, listed, paper, section, table, whole


def papers(desk: Desk) -> Sequence[Paper]:
    return [*_defects(desk), *_trials(desk)]


def _defects(desk: Desk) -> Sequence[Paper]:
    counted = {
        str(row["defect"]): int(row["cases"])
        for row in desk.rows("SELECT defect, count(*) AS cases FROM biz_defect_cases GROUP BY defect")
    }
    english = [
        section(
            f"{defect.en[0].capitalize()} ({defect.zh[0]})",
            f"{counted.get(defect.code, 0)} cases so far. Also called {', '.join((*defect.en[1:], *defect.zh[1:]))}.",
            listed([f"{each.cause_en}: {each.remedy_en}." for each in defect.remedies]),
        )
        for defect in CATALOGUE
    ]
    chinese = [
        section(
            f"{defect.zh[0]}（{defect.en[0]}）",
            f"至今 {counted.get(defect.code, 0)} 例。又称 {'、'.join((*defect.zh[1:], *defect.en[1:]))}。",
            listed([f"{each.cause_zh}：{each.remedy_zh}。" for each in defect.remedies]),
        )
        for defect in CATALOGUE
    ]
    return [
        paper("mold", "defect-handbook.md", "Handbook of molding defects", f"Cases as of {desk.today}.", *english),
        paper("mold", "defect-handbook.zh.md", "注塑缺陷手册", f"案例截至 {desk.today}。", *chinese),
    ]


def _trials(desk: Desk) -> Sequence[Paper]:
    molds = desk.rows("SELECT status, count(*) AS molds FROM biz_molds GROUP BY status ORDER BY status")
    rows = [(row["status"], row["molds"]) for row in molds]
    total = desk.one("SELECT count(*) AS trials FROM biz_trials")
    english = paper(
        "mold", "trial-procedure.md", "Procedure for mold trials",
        f"As of {desk.today} there were {whole(total, 'trials')} trials.",
        table(("Status of the mold", "Molds"), rows),
        section("T0", "The toolmaker's first shots: the mold opens, closes and ejects. Defects are written down, none "
                "is a reason to stop."),
        section("T1", "On our press with the specified resin. Dimensions are measured, every defect gets a case with "
                "cause and remedy."),
        section("T2", "After correction. The mold is released when no major or critical defect is left and the reject "
                "rate is below 2 %."),
    )  # fmt: skip
    chinese = paper(
        "mold", "trial-procedure.zh.md", "试模流程",
        f"截至 {desk.today}，共进行 {whole(total, 'trials')} 次试模。",
        table(("模具状态", "模具数"), rows),
        section("T0", "模具厂首次试模：开合模、顶出正常。记录缺陷，不因缺陷停止。"),
        section("T1", "在我方注塑机上使用规定树脂试模。测量尺寸，每个缺陷建立案例并写明原因和对策。"),
        section("T2", "修模后试模。没有主要或严重缺陷且不良率低于 2 % 时放行模具。"),
    )  # fmt: skip
    return [english, chinese]
