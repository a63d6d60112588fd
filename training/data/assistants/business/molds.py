"""Talks about molds: defect cases, trial runs, causes and remedies."""

from training.data.assistants.business.parts import asked, listed, named, plural, rows_of, span, table, told, totals
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

DEFECTS = {"flash": ("flash|burrs|flashing", "Grat", "披锋|飞边|毛边"), "short shot": (
    "short shots|incomplete fill", "unvollständiger Füllung (short shot)", "缺胶|短射"), "sink mark": (
    "sink marks|sink mark", "Einfallstellen", "缩水|缩痕"), "whitening": ("whitening|stress whitening", "Weißbruch",
    "拉白|顶白"), "spark marks": ("spark marks|EDM marks", "Erodierspuren", "火花纹"), "contamination": (
    "contamination|black specks", "Verunreinigung", "表面污染|黑点"), "weld line": ("weld lines|weld line",
    "Bindenähten", "熔接线|夹水纹"), "warpage": ("warpage|warping", "Verzug", "变形|翘曲"), "burn mark": (
    "burn marks|trapped gas", "Brandstellen", "烧焦|困气"), "flow mark": ("flow marks|flow lines", "Fließlinien",
    "流纹"), "silver streaks": ("silver streaks|splay", "Silberschlieren", "银纹|料花"), "bubbles": (
    "bubbles|voids", "Blasen", "气泡"), }  # fmt: skip


def _said(rng: Rng, language: Language, defect: str) -> tuple[str, str]:
    """A name of the defect, and what to look for: in Chinese and English as said, else the English one."""
    words = rng.some(DEFECTS[defect][{"en": 0, "de": 1, "zh": 2}[language]].split("|"))
    return words, defect if language == "de" else words


def remedies(rng: Rng, language: Language) -> Talk:
    """How to fix it, or why it happens; the most frequent one."""
    said, given = _said(rng, language, rng.some(list(DEFECTS)))
    cause = rng.chance(0.4)
    if cause:
        yield asked(rng, language, "mold",
            en=f"Why do we get {said} on molded parts?|most common cause of {said}|what causes {said} here?|root "
            f"cause of {said}, mostly",
            de=f"Warum kommt es zu {said} an den Teilen?|Häufigste Ursache von {said} (Formteile, Defekt)?",
            zh=f"为什么会出现{said}？|{said}最常见的原因是什么")  # fmt: skip
    else:
        yield asked(rng, language, "mold",
            en=f"How do we get rid of {said}?|remedy for {said}|what helps against {said} on our parts?|we have "
            f"{said} again, what should we do",
            de=f"Was hilft gegen {said} (Defekt)?|Wie beheben wir den Defekt: {said}?",
            zh=f"{said}怎么解决？|出现{said}应该怎么处理")  # fmt: skip
    seen = yield call("Causes and remedies of this defect.", "get_defect_remedies", defect=given)
    row = next(iter(table(seen) or table(seen, "Known causes")), None)
    if row is None:
        return
    many = f"{row['cases']}" if "cases" in row else ""
    yield told(language, f"First row: cause {row['cause en']}; remedy "
        f"{row['remedy en']}{f'; cases {many}' if many else ''}."[:160],
        en=f"Most often{f' ({many} cases)' if many else ''}: {row['cause en'].lower()}. Remedy: "
        f"{row['remedy en'].lower()}.",
        de=f"Am häufigsten{f' ({many} Fälle)' if many else ''}: {row['cause en']}. Abhilfe: {row['remedy en']}.",
        zh=f"最常见原因{f'（{many} 例）' if many else ''}：{row['cause zh']}。对策：{row['remedy zh']}。",
    )  # fmt: skip


def cases_of_defect(rng: Rng, language: Language) -> Talk:
    said, given = _said(rng, language, rng.some(list(DEFECTS)))
    status = rng.some(["", "", "open"])
    e, d, z = ("open ", "offene ", "未解决的") if status else ("", "", "")
    yield asked(rng, language, "mold",
        en=f"How many {e}cases of {said} do we have?|{e}defect cases with {said}, count|number of {e}{said} cases|"
        f"{said}: how many {e}cases on record?",
        de=f"Wie viele {d}Fälle von {said} gibt es (Defekte)?|Anzahl {d}Defektfälle mit {said}?",
        zh=f"{z}{said}案例一共几个？|{said}有几个{z}缺陷案例")  # fmt: skip
    more = {"status": status} if status else {}
    seen = yield call(f"Cases of one defect{', open ones' if status else ''}.", "search_defect_cases", defect=given,
        **more)  # fmt: skip
    sums, row = totals(seen), next(iter(table(seen)), None)
    yield told(language, f"Totals: cases {sums['cases']}, open {sums['open']}, critical {sums['critical']}.",
        en=f"{plural(sums['cases'], f'{e}case', f'{e}cases')} of {said} on "
        f"record{'' if status else ', ' + sums['open'] + ' of them open'}.",
        de=f"{sums['cases']} {d}Fälle von {said}{'' if status else ', davon ' + sums['open'] + ' offen'}.",
        zh=f"{z}{said}案例共 {sums['cases']} 个{'' if status else '，其中未解决 ' + sums['open'] + ' 个'}。"
    )  # fmt: skip
    if row is not None and rng.chance(0.5):
        yield asked(rng, language, "mold", again=True,
            en="what was the cause of the newest one?|cause and remedy of the latest case?|and why did the most "
            "recent one happen",
            de="Was war die Ursache beim neuesten Fall?|Ursache des letzten Falls?",
            zh="最新一个案例的原因是什么？|最近那个案例的原因和对策")  # fmt: skip
        seen = yield call(f"The newest is {row['case id']}: its cause is in the case.", "get_defect_case", case_id=
            row["case id"])  # fmt: skip
        assert seen is not None
        fields = dict(line.split(": ", 1) for line in seen.text.splitlines() if ": " in line)
        yield told(language, f"{row['case id']}: cause en {fields['cause en']}; remedy en {fields['remedy en']}."[:
            160],
            en=f"{row['case id']}: {fields['cause en']}. Remedy: {fields['remedy en']}.",
            de=f"{row['case id']}: {fields['cause en']}. Abhilfe: {fields['remedy en']}.",
            zh=f"{row['case id']}：{fields['cause zh']}。对策：{fields['remedy zh']}。")  # fmt: skip


def cases_filtered(rng: Rng, language: Language) -> Talk:
    """By severity, trial, mold or period."""
    mold = rng.some(rows_of("defect_cases"))[1]
    args, en, de, zh = rng.some([({"severity": "critical", "status": "open"}, "critical defect cases that are "
        "still open", "kritische, noch offene Defektfälle", "未解决的严重缺陷案例"), ({"severity": "critical"},
        "critical defect cases", "kritische Defektfälle", "严重缺陷案例"), ({"severity": "major"},
        "major defect cases", "Defektfälle der Stufe major", "major 级缺陷案例"), ({"trial": "T0"},
        "defect cases from T0 trials", "Defektfälle aus T0-Bemusterungen", "T0 试模的缺陷案例"), ({"trial": "T1"},
        "defect cases found in T1", "Defektfälle aus T1", "T1 试模的缺陷案例"), ({"mold": mold},
        f"defect cases on mold {mold}", f"Defektfälle am Werkzeug {mold}", f"模具 {mold} 的缺陷案例"), ({"status":
        "open"}, "open defect cases", "offene Defektfälle", "未解决的缺陷案例")])  # fmt: skip
    when = span(rng, language, ("this_year", "last_year", "last_90_days"), 0) if rng.chance(0.35) else None
    q, a, given = (f" {when.q}", f" {when.a}", when.args) if when else ("", "", {})
    found = " found" if when else ""
    yield asked(rng, language, "mold",
        en=f"How many {en}{found}{q} are there?|{en}{found}{q}: count|number of {en}{q}|do we have {en}{found}{q}, "
        "how many?",
        de=f"Wie viele {de} gibt es{q}?|Anzahl: {de}{q}?",
        zh=f"{q.strip()}{zh}有多少？|{q.strip()}{zh}数量")  # fmt: skip
    seen = yield call("Cases with these filters; the totals count them.", "search_defect_cases", **args, **given)
    cases = totals(seen)["cases"]
    yield told(language, f"Totals: cases {cases}.",
        en=f"{cases} {en}{a}.",
        de=f"{cases} {de}{a}.",
        zh=f"{a.strip()}{zh}共 {cases} 个。")  # fmt: skip


def cases_by(rng: Rng, language: Language) -> Talk:
    by, en, de, zh = rng.some([("defect", "defect", "Defekt", "缺陷"), ("mold", "mold", "Werkzeug", "模具"), (
        "position", "position on the part", "Position", "位置"), ("severity", "severity", "Schwere", "严重程度")]
    )  # fmt: skip
    few = rng.some([0, 2, 3]) if by in ("defect", "position") else 0
    yield asked(rng, language, "mold",
        en=f"Which {few or ''} {en}{'s' if few else ''} {'have' if few else 'has'} the most defect cases?|defect "
        f"cases by {en}: {f'top {few}' if few else 'the first'}|most frequent "
        f"{en}{f' ({few} of them)' if few else ''} among defect cases?|rank defect cases by {en}, "
        f"{f'first {few}' if few else 'number one'}",
        de=f"Defektfälle nach {de}: {f'die ersten {few}' if few else 'was liegt vorn'}?|Häufigste nach {de} bei "
        f"Defektfällen{f', {few} Stück' if few else ''}?",
        zh=f"哪{f'{few}个' if few else '个'}{zh}的缺陷案例最多？|按{zh}统计缺陷案例，"
        f"{f'前{few}名' if few else '最多的'}")  # fmt: skip
    seen = yield call(f"Cases counted by {by}.", "search_defect_cases", group_by=by, **({"limit": few} if few else {}))
    rows = table(seen)[: few or 1]
    names = [row["defect zh"] if by == "defect" and language == "zh" else row[by].replace("_", " ") for row in rows]
    parts = [f"{name} ({row['cases']})" for name, row in zip(names, rows, strict=True)]
    yield told(language, f"First row{'s' * bool(few)}: {', '.join(parts)}.",
        en=f"Most cases: {listed('en', parts)}.",
        de=f"Am meisten Fälle: {listed('de', parts)}.",
        zh=f"案例最多：{listed('zh', parts)}。")  # fmt: skip


def one_case(rng: Rng, language: Language) -> Talk:
    case, field = rng.some(rows_of("defect_cases")), rng.some(["cause", "remedy", "status", "position", "severity",
        "found on"])  # fmt: skip
    words = {"cause": ("cause", "Ursache", "原因"), "remedy": ("remedy", "Abhilfe", "对策"), "status": ("status",
        "Status", "状态"), "position": ("position", "Position", "位置"), "severity": ("severity", "Schwere",
        "严重程度"), "found on": ("date it was found", "Funddatum", "发现日期")}[field]  # fmt: skip
    yield asked(rng, language, "mold",
        en=f"What is the {words[0]} of case {case[0]}?|{case[0]}: {words[0]}?|defect case {case[0]}, {words[0]} "
        f"please|tell me the {words[0]} in {case[0]}",
        de=f"{words[1]} von Defektfall {case[0]}?|Wie lautet bei {case[0]}: {words[1]}?",
        zh=f"案例 {case[0]} 的{words[2]}是什么？|{case[0]} {words[2]}")  # fmt: skip
    seen = yield call(f"One case in full: {field}.", "get_defect_case", case_id=case[0])
    assert seen is not None
    fields = dict(line.split(": ", 1) for line in seen.text.splitlines() if ": " in line)
    name = f"{field} {'zh' if language == 'zh' else 'en'}" if field in ("cause", "remedy") else field
    yield told(language, f"{name}: {fields[name]}."[:160],
        en=f"{case[0]}, {words[0]}: {fields[name]}.",
        de=f"{case[0]}, {words[1]}: {fields[name]}.",
        zh=f"{case[0]} 的{words[2]}：{fields[name]}。")  # fmt: skip


def trials(rng: Rng, language: Language) -> Talk:
    """The result, rejects or defects of a mold's trial runs."""
    run = rng.some(rows_of("trials"))
    mold, trial, field = run[1], run[2], rng.some(["result", "rejects", "defects", "press", "run on", "count"])
    words = {"result": ("result", "Ergebnis", "结果"), "rejects": ("number of rejects", "Ausschusszahl", "不良数"),
        "defects": ("defects", "Defekte", "缺陷"), "press": ("press", "Maschine", "注塑机"), "run on": ("date",
        "Datum", "日期"), "count": ("", "", "")}[field]  # fmt: skip
    if field == "count":
        yield asked(rng, language, "mold",
            en=f"How many trial runs did {mold} have?|trials of mold {mold}, count|number of trials for {mold}|"
            f"{mold}: how many trials so far?",
            de=f"Wie viele Bemusterungen (Trials) hatte {mold}?|Anzahl Trials von {mold}?",
            zh=f"模具 {mold} 试模几次？|{mold} 试模次数")  # fmt: skip
    else:
        yield asked(rng, language, "mold",
            en=f"What was the {words[0]} of {trial} for mold {mold}?|{mold} {trial}: {words[0]}?|{words[0]} in the "
            f"{trial} trial of {mold}|look up trial {trial} of {mold}, {words[0]}",
            de=f"{words[1]} der Bemusterung {trial} von {mold}?|{mold}, Trial {trial}: {words[1]}?",
            zh=f"模具 {mold} 的 {trial} 试模{words[2]}是什么？|{mold} {trial} 试模{words[2]}")  # fmt: skip
    seen = yield call("Trial runs of one mold.", "get_trial_history", mold=mold)
    if field == "count":
        many = totals(seen)["trials"]
        yield told(language, f"Totals: trials {many}.",
            en=f"{mold} had {plural(many, 'trial', 'trials')}.",
            de=f"{mold} hatte {many} Trials.",
            zh=f"{mold} 试模 {many} 次。")  # fmt: skip
        return
    row = next((each for each in table(seen) if each["trial"] == trial), None)
    if row is None:
        return
    yield told(language, f"Row {trial}: {field} {row[field]}."[:160],
        en=f"{mold} {trial}, {words[0]}: {row[field]}.",
        de=f"{mold} {trial}, {words[1]}: {row[field]}.",
        zh=f"{mold} {trial} 的{words[2]}：{row[field]}。")  # fmt: skip


def mold_released(rng: Rng, language: Language) -> Talk:
    mold = rng.some(rows_of("trials"))[1]
    yield asked(rng, language, "mold",
        en=f"Has mold {mold} been released?|is {mold} released or still in trial|did mold {mold} pass its last "
        f"trial?|release status of mold {mold}",
        de=f"Ist das Werkzeug {mold} freigegeben (mold)?|Hat die Mold {mold} ihren letzten Trial bestanden?",
        zh=f"模具 {mold} 放行了吗？|{mold} 试模通过了没有")  # fmt: skip
    seen = yield call("Trial runs of the mold, with the last result.", "get_trial_history", mold=mold)
    row = (table(seen) or [{}])[-1]
    if not row:
        return
    passed = row["result"] == "passed"
    yield told(language, f"Last row {row['trial']}, {row['run on']}: result {row['result']}.",
        en=f"{'Yes' if passed else 'Not yet'}: {row['trial']} on {row['run on']} was {row['result']}.",
        de=f"{'Ja' if passed else 'Noch nicht'}: {row['trial']} am {row['run on']} war {row['result']}.",
        zh=f"{'是的' if passed else '还没有'}：{row['run on']} 的 {row['trial']} 结果为 {row['result']}。"
    )  # fmt: skip


def no_mold(rng: Rng, language: Language) -> Talk:
    mold = f"MD-{rng.randrange(300, 990)}"
    yield asked(rng, language, "mold",
        en=f"What came out of the trials of mold {mold}?|trial history {mold}|results of {mold} trials?|last trial "
        f"of mold {mold}",
        de=f"Wie liefen die Trials von {mold}?|Trial-Historie der Mold {mold}?",
        zh=f"模具 {mold} 试模情况怎么样？|{mold} 试模记录")  # fmt: skip
    yield call("Trial runs of that mold.", "get_trial_history", mold=mold)
    yield told(language, f"Error: There is no mold {mold!r}.",
        en=f"There is no mold {mold} in the system. Please check the number.",
        de=f"Ein Werkzeug {mold} gibt es im System nicht. Stimmt die Nummer?",
        zh=f"系统中没有模具 {mold}，请核对编号。")  # fmt: skip


def newest_case(rng: Rng, language: Language) -> Talk:
    """Latest or oldest open case, then its remedy: two calls in one turn."""
    old = rng.chance(0.4)
    when = named(rng, language, "this_year")
    assert when
    yield asked(rng, language, "mold",
        en=f"What remedy is noted for our {'oldest' if old else 'newest'} open defect case?|"
        f"{'oldest' if old else 'latest'} open defect case and its remedy|take the "
        f"{'oldest' if old else 'most recent'} open defect case: what is the remedy?|remedy of the "
        f"{'longest open' if old else 'last opened'} defect case",
        de=f"Welche Abhilfe steht im {'ältesten' if old else 'neuesten'} offenen Defektfall?|"
        f"{'Ältester' if old else 'Neuester'} offener Defektfall und seine Abhilfe?",
        zh=f"{'最早' if old else '最新'}的未解决缺陷案例对策是什么？|{'最久' if old else '最近'}的未解决缺陷案"
        "例及其对策")  # fmt: skip
    seen = yield call(f"First the {'oldest' if old else 'newest'} open case.", "search_defect_cases", status="open",
        **({"sort": "oldest"} if old else {}))  # fmt: skip
    row = next(iter(table(seen)), None)
    if row is None:
        yield told(language, "Totals: cases 0.",
            en="There are no open defect cases.",
            de="Es gibt keine offenen Defektfälle.",
            zh="没有未解决的缺陷案例。")  # fmt: skip
        return
    seen = yield call(f"Now {row['case id']} in full, for its remedy.", "get_defect_case", case_id=row["case id"])
    assert seen is not None
    fields = dict(line.split(": ", 1) for line in seen.text.splitlines() if ": " in line)
    yield told(language, f"{row['case id']}: remedy en {fields['remedy en']}."[:160],
        en=f"{row['case id']} ({fields['title en']}): {fields['remedy en']}.",
        de=f"{row['case id']} ({fields['title en']}): {fields['remedy en']}.",
        zh=f"{row['case id']}（{fields['title zh']}）：{fields['remedy zh']}。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {remedies: 5, cases_of_defect: 4, cases_filtered: 3, cases_by: 3, one_case: 3, trials:
    4, mold_released: 2, no_mold: 1, newest_case: 2, }  # fmt: skip
