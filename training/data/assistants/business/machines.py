"""Talks about servers, alerts and logs."""

from training.data.assistants.business.parts import asked, listed, named, plural, rows_of, span, table, told, totals
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Language
from training.data.values import Rng

LATELY = ("last_7_days", "last_30_days", "this_month", "last_month", "last_week", "this_week")
STATES = {"up": ("up", "läuft", "正常运行"), "down": ("down", "ausgefallen", "宕机"), "degraded": ("degraded",
    "beeinträchtigt", "性能下降"), "maintenance": ("in maintenance", "in Wartung", "维护中")}  # fmt: skip


def hosts() -> list[str]:
    return [row[1] for row in rows_of("servers")]


def is_it_up(rng: Rng, language: Language) -> Talk:
    host = rng.some(hosts())
    yield asked(rng, language, "it_ops",
        en=f"Is {host} up?|is server {host} running|status of {host}?|can you check whether {host} is down",
        de=f"Läuft der Server {host}?|Ist {host} erreichbar?",
        zh=f"服务器 {host} 正常吗？|{host} 宕机了吗",
    )  # fmt: skip
    seen = yield call("Status of one server.", "get_server_status", server=host)
    row = table(seen)[0]
    en, de, zh = STATES[row["status"]]
    up = row["status"] == "up"
    yield told(language, f"Row {host}: status {row['status']}.",
        en=f"{host} is {en}{', no trouble' if up else ''} (CPU {row['cpu']}).",
        de=f"{host}: {de} (CPU {row['cpu']}).",
        zh=f"{host} {zh}（CPU {row['cpu']}）。",
    )  # fmt: skip
    if rng.chance(0.4):
        field, words = rng.choice([("disk", ("how full is its disk?|and the disk",
            "Und die Festplatte?|Wie voll ist die Platte?", "磁盘呢？|磁盘占用多少")), ("memory", (
            "and memory?|how is its memory load", "Und der Speicher?|Wie ist die Speicherlast?",
            "内存呢？|内存占用多少")), ("location", ("where does it stand?|location?", "Wo steht er?|Standort?",
            "它在哪里？|在哪个机房"))])  # fmt: skip
        yield asked(rng, language, "it_ops", again=True, en=words[0], de=words[1], zh=words[2])
        yield told(language, f"Row {host}: {field} {row[field]}.",
            en=f"{host}, {field}: {row[field]}.",
            de=f"{host}, {field}: {row[field]}.",
            zh=f"{host} 的 {field}：{row[field]}。",
        )  # fmt: skip


def server_load(rng: Rng, language: Language) -> Talk:
    """A load of one server, or the highest of all."""
    part, en, de, zh = rng.some([("cpu", "CPU load", "CPU-Last", "CPU 占用"), ("memory", "memory usage",
        "Speicherauslastung", "内存占用"), ("disk", "disk usage", "Plattenbelegung", "磁盘占用")])  # fmt: skip
    if rng.chance(0.5):
        host = rng.some(hosts())
        yield asked(rng, language, "it_ops",
            en=f"What is the {en} of {host}?|{en} on {host}|how high is {en} at server {host}?|{host} {en}, please",
            de=f"Wie hoch ist die {de} auf {host}?|{de} von {host}?",
            zh=f"{host} 的{zh}是多少？|服务器 {host} {zh}",
        )  # fmt: skip
        seen = yield call(f"One server: its {part}.", "get_server_status", server=host)
        row = table(seen)[0]
    else:
        few = rng.some([0, 2, 3])
        yield asked(rng, language, "it_ops",
            en=f"Which {f'{few} servers have' if few else 'server has'} the highest {en}?|highest {en} among our "
            f"servers{f', top {few}' if few else ''}|{f'{few} servers' if few else 'server'} with the most {en}?|"
            f"worst {en}: which {f'{few} hosts' if few else 'host'}",
            de=f"Welche {f'{few} Server haben' if few else 'Server hat'} die höchste {de}?|Höchste "
            f"{de}{f', {few} Server' if few else ''}?".replace("Welche Server hat", "Welcher Server hat"),
            zh=f"{zh}最高的{f'{few}台' if few else ''}服务器是{'哪些' if few else '哪台'}？|哪{few or ''}台服务器"
            f"{zh}最高",
        )  # fmt: skip
        seen = yield call(f"Servers, highest {part} first.", "get_server_status", sort=part, **({"limit": few} if
            few else {}))  # fmt: skip
        parts = [f"{row['hostname']} ({row[part]})" for row in table(seen)[: few or 1]]
        yield told(language, f"First row{'s' * bool(few)}, {part}: {', '.join(parts)}.",
            en=f"Highest {en}: {listed('en', parts)}.",
            de=f"Höchste {de}: {listed('de', parts)}.",
            zh=f"{zh}最高：{listed('zh', parts)}。")  # fmt: skip
        return
    yield told(language, f"Row {row['hostname']}: {part} {row[part]}.",
        en=f"The {en} of {row['hostname']} is {row[part]}.",
        de=f"{de} von {row['hostname']}: {row[part]}.",
        zh=f"{row['hostname']} 的{zh}为 {row[part]}。")  # fmt: skip


def servers_by_state(rng: Rng, language: Language) -> Talk:
    status, en, de, zh = rng.some([("down", "down", "ausgefallen", "宕机"), ("degraded", "degraded",
        "beeinträchtigt", "性能下降"), ("not_up", "not up", "nicht in Ordnung", "不正常"), ("maintenance",
        "in maintenance", "in Wartung", "维护中")])  # fmt: skip
    kind = rng.randrange(3)
    args, e, d, z = {}, "", "", ""
    if kind == 1:
        env = rng.some(["production", "staging"])
        args, e, d, z = {"environment": env}, f" in {env}", f" in {env}", f" {env} 环境"
    elif kind == 2:
        place = rng.some(["Dongguan", "Monterrey", "Cloud"])
        args, e, d, z = {"location": place}, f" in {place}", f" in {place}", f" {place} 的"
    yield asked(rng, language, "it_ops",
        en=f"Which servers{e} are {en}?|servers{e} that are {en} - list|any servers{e} {en} right now?|how many "
        f"servers{e} are {en} and which",
        de=f"Welche Server{d} sind {de}?|Server{d}, die {de} sind?",
        zh=f"{z}哪些服务器{zh}？|{z}当前{zh}的服务器名单",
    )  # fmt: skip
    seen = yield call(f"Servers with status {status}.", "get_server_status", status=status, **args)
    names = [row["hostname"] for row in table(seen)]
    if not names:
        yield told(language, "Totals: servers 0. Nothing matches.",
            en=f"No servers{e} are {en}.",
            de=f"Keine Server{d} sind {de}.",
            zh=f"{z}没有服务器{zh}。")  # fmt: skip
        return
    yield told(language, f"Totals: servers {len(names)}. Hostnames: {', '.join(names)}."[:160],
        en=f"{plural(str(len(names)), 'server is', 'servers are')} {en}{e}: {listed('en', names)}.",
        de=f"{len(names)} Server{d} {de}: {listed('de', names)}.",
        zh=f"{z}{zh}的服务器有 {len(names)} 台：{listed('zh', names)}。",
    )  # fmt: skip


def server_counts(rng: Rng, language: Language) -> Talk:
    """How many there are, of a role or environment, and the share that is up."""
    share = rng.chance(0.4)
    arg = rng.some([{}, {"role": rng.some(["db", "web", "erp", "mail", "backup", "mes"])}, {"environment": rng.some(
        ["production", "staging"])}])  # fmt: skip
    word = next(iter(arg.values()), "")
    yield asked(rng, language, "it_ops",
        en=f"{'What share of' if share else 'How many'} {word} servers {'is up' if share else 'do we run'}?|{word} "
        f"servers: {'percentage up' if share else 'how many'}?|{'uptime share across' if share else 'count of'} "
        f"our {word} servers" f"|{'how many percent of the' if share else 'number of'} {word} "
        f"servers{' are up' if share else ''}",
        de=f"{'Wie viel Prozent der' if share else 'Wie viele'} {word} Server "
        f"{'laufen' if share else 'haben wir'}?|{'Anteil laufender' if share else 'Anzahl'} {word} Server?",
        zh=f"{word} 服务器{'正常运行的比例' if share else '有多少台'}？|我们的 {word} 服务器"
        f"{'有百分之多少在线' if share else '数量'}",
    )  # fmt: skip
    seen = yield call("Servers counted in the totals.", "get_server_status", **arg)
    sums = totals(seen)
    if share:
        cell, base = sums["up share"], sums.get("up of", "")
        yield told(language, f"Totals: up {cell} ({base}).",
            en=f"{cell} of the {word} servers are up ({base}).",
            de=f"{cell} der {word} Server laufen ({base.replace(' of ', ' von ')}).",
            zh=f"{word} 服务器正常率 {cell}（{base.replace(' of ', '/')}）。")  # fmt: skip
        return
    yield told(language, f"Totals: servers {sums['servers']}, up {sums['up']}.",
        en=f"We run {sums['servers']} {word} servers; {sums['up']} of them are up.",
        de=f"{sums['servers']} {word} Server, davon laufen {sums['up']}.",
        zh=f"{word} 服务器共 {sums['servers']} 台，{sums['up']} 台正常。")  # fmt: skip


def high_load(rng: Rng, language: Language) -> Talk:
    least = rng.some([75, 80, 85, 90, 95])
    yield asked(rng, language, "it_ops",
        en=f"Which servers have a load of {least} % or more somewhere?|hosts at {least}% or above in CPU, memory "
        f"or disk|servers loaded {least} percent and up?|how many servers reach {least} % load",
        de=f"Welche Server haben irgendwo {least} % Last oder mehr?|Server ab {least} % Auslastung?",
        zh=f"哪些服务器负载达到 {least}% 以上？|CPU、内存或磁盘 {least}% 以上的服务器",
    )  # fmt: skip
    seen = yield call(f"Servers with a load of at least {least}.", "get_server_status", min_load=least)
    names, many = [row["hostname"] for row in table(seen)], totals(seen)["servers"]
    if not names or len(names) < int(many):
        yield told(language, f"Totals: servers {many}.",
            en=f"{many} servers have a load of {least} % or more.",
            de=f"{many} Server liegen bei {least} % oder mehr.",
            zh=f"有 {many} 台服务器负载达到 {least}% 以上。")  # fmt: skip
        return
    yield told(language, f"Totals: servers {many}. Hostnames: {', '.join(names)}."[:160],
        en=f"{many} servers at {least} % or more: {listed('en', names)}.",
        de=f"{many} Server ab {least} %: {listed('de', names)}.",
        zh=f"{many} 台服务器达到 {least}% 以上：{listed('zh', names)}。")  # fmt: skip


def alerts_open(rng: Rng, language: Language) -> Talk:
    """Unresolved ones, perhaps critical or of a server; the newest of them."""
    kind = rng.randrange(3)
    args, e, d, z = {}, "", "", ""
    if kind == 1:
        severity = rng.some(["critical", "warning"])
        args, e, d, z = {"severity": severity}, f"{severity} ", {"critical": "kritische ", "warning": "Warn-"}[
            severity], {"critical": "严重", "warning": "警告级"}[severity]  # fmt: skip
    on = ("", "", "")
    if kind == 2:
        host = rng.some(hosts())
        args, on = {"server": host}, (f" on {host}", f" auf {host}", f"{host} 上")
    yield asked(rng, language, "it_ops",
        en=f"How many {e}alerts{on[0]} are unresolved?|unresolved {e}alerts{on[0]}|{e}monitoring alerts{on[0]} "
        f"still not solved, count?|are there {e}alerts{on[0]} nobody has resolved yet",
        de=f"Wie viele {d}Alarme{on[1]} sind ungelöst?|Ungelöste {d}Alarme{on[1]}?",
        zh=f"{on[2]}未解决的{z}告警有多少？|{on[2]}还有几条{z}告警没解决",
    )  # fmt: skip
    seen = yield call("Open or acknowledged: status unresolved.", "get_alerts", status="unresolved", **args)
    sums, row = totals(seen), next(iter(table(seen)), None)
    yield told(language, f"Totals: alerts {sums['alerts']}.",
        en=f"{plural(sums['alerts'], f'unresolved {e}alert', f'unresolved {e}alerts')}{on[0]}.",
        de=f"{sums['alerts']} ungelöste {d}Alarme{on[1]}.",
        zh=f"{on[2]}未解决的{z}告警有 {sums['alerts']} 条。",
    )  # fmt: skip
    if row is not None and rng.chance(0.5):
        yield asked(rng, language, "it_ops", again=True,
            en="what is the newest one?|and the latest of them|which came last?",
            de="Was ist der neueste?|Und der letzte davon?",
            zh="最新的一条是什么？|最近的是哪条")  # fmt: skip
        yield told(language, f"First row, newest first: {row['alert id']}, {row['title']}, {row['server']}, "
            f"{row['raised at']}.",
            en=f"{row['alert id']}: {row['title']} on {row['server']}, raised {row['raised at']}.",
            de=f"{row['alert id']}: {row['title']} auf {row['server']}, ausgelöst {row['raised at']}.",
            zh=f"{row['alert id']}：{row['server']} 上的 {row['title']}，{row['raised at']}。",
        )  # fmt: skip


def alerts_of_period(rng: Rng, language: Language) -> Talk:
    when, part = span(rng, language, LATELY, 0.2), rng.some(["alerts", "critical", "average minutes to resolve"])
    what = {"alerts": (f"How many alerts were raised {when.q}?|alerts raised by our monitoring "
        f"{when.q}, in total|" f"alerts {when.q}, count?|monitoring: alert total {when.q}",
        f"Wie viele Alarme gab es {when.q}?|Anzahl " f"Alarme {when.q}?",
        f"{when.q}有多少告警？|{when.q}告警总数"), "critical": (
        f"How many critical alerts {when.q}?|" f"critical alerts {when.q}|count the critical "
        f"monitoring alerts {when.q}|serious alerts (critical) " f"{when.q}: number?",
        f"Wie viele kritische Alarme gab es {when.q}?|Kritische Alarme {when.q}?",
        f"{when.q}严重告警有多少？|{when.q}critical 告警数"), "average minutes to resolve": (
        f"How long did it take on average to resolve alerts {when.q}?|mean time to resolve "
        f"alerts {when.q}|average " f"minutes until alerts were resolved {when.q}?|time to "
        f"resolve an alert {when.q}, averaged", f"Wie lange dauerte es {when.q} im Schnitt, "
        f"Alarme zu lösen?|Mittlere Lösungszeit der Alarme {when.q}?",
        f"{when.q}告警平均多久解决？|{when.q}告警平均解决时间"), }[part]  # fmt: skip
    yield asked(rng, language, "it_ops", en=what[0], de=what[1], zh=what[2])
    more = {"severity": "critical"} if part == "critical" else {}
    seen = yield call(f"Alerts of that time; totals: {part}.", "get_alerts", **more, **when.args)
    cell = totals(seen).get(part, "–")
    if cell == "–":
        yield told(language, "Totals: resolved 0, no average.",
            en=f"No alerts were resolved {when.a}, so there is no average.",
            de=f"{when.a}: keine gelösten Alarme, also kein Mittelwert.",
            zh=f"{when.a}没有已解决的告警，因此没有平均值。")  # fmt: skip
        return
    yield told(language, f"Totals: {part} {cell}.", en={"alerts": f"{cell} alerts were raised {when.a}.",
        "critical": f"{cell} critical alerts {when.a}.", "average minutes to resolve":
        f"{cell} minutes on average {when.a}."}[part], de={"alerts": f"{cell} Alarme {when.a}.", "critical":
        f"{cell} kritische Alarme {when.a}.", "average minutes to resolve": f"Im Schnitt {cell} Minuten {when.a}."}[
        part], zh={"alerts": f"{when.a}有 {cell} 条告警。", "critical": f"{when.a}有 {cell} 条严重告警。",
        "average minutes to resolve": f"{when.a}平均 {cell} 分钟。"}[part],
    )  # fmt: skip


def alerts_by(rng: Rng, language: Language) -> Talk:
    by, en, de, zh = rng.some([("server", "server", "Server", "服务器"), ("title", "kind of alert", "Alarmart",
        "告警类型")])  # fmt: skip
    when = named(rng, language, rng.some(LATELY[:4]))
    yield asked(rng, language, "it_ops",
        en=f"Which {en} {'raised' if by == 'server' else 'came'} most "
        f"{'alerts ' if by == 'server' else 'often '}{when.q}?|alerts by {en} {when.q}: the first|most frequent "
        f"alerts {when.q}, by {en}?|{en} with the most alerts {when.q}",
        de=f"Alarme nach {de} {when.q}: was liegt vorn?|{de} mit den meisten Alarmen {when.q}?",
        zh=f"{when.q}哪个{zh}告警最多？|按{zh}统计{when.q}告警，最多的是",
    )  # fmt: skip
    seen = yield call(f"Alerts counted by {by}.", "get_alerts", group_by=by, **when.args)
    rows = table(seen)
    if not rows:
        yield told(language, "Nothing matches.",
            en=f"No alerts {when.a}.",
            de=f"Keine Alarme {when.a}.",
            zh=f"{when.a}没有告警。")  # fmt: skip
        return
    top = [row for row in rows if row["alerts"] == rows[0]["alerts"]]
    names = listed(language, [row[by] for row in top])
    yield told(language, f"First row: {top[0][by]}, alerts "
        f"{top[0]['alerts']}{', the same for the next' if len(top) > 1 else ''}.",
        en=f"{names}, {top[0]['alerts']} alerts {when.a}.",
        de=f"{names}, {top[0]['alerts']} Alarme {when.a}.",
        zh=f"{when.a}是 {names}，{top[0]['alerts']} 条。")  # fmt: skip


def logs_count(rng: Rng, language: Language) -> Talk:
    """Errors or warnings, of a server or service."""
    level, en, de, zh = rng.some([("error", "errors", "Fehler", "错误"), ("warning", "warnings", "Warnungen", "警告")])
    when = named(rng, language, rng.some(["yesterday", "last_7_days", "this_week", "last_30_days", "last_week"]))
    kind = rng.randrange(3)
    args, e, d, z = {}, "", "", ""
    if kind == 1:
        host = rng.some(hosts())
        args, e, d, z = {"server": host}, f" on {host}", f" auf {host}", f"{host} "
    elif kind == 2:
        service = rng.some(["nginx", "postgres", "erp-app", "postfix", "mes-core"])
        args, e, d, z = {"service": service}, f" of {service}", f" von {service}", f"{service} "
    yield asked(rng, language, "it_ops",
        en=f"How many {en} are in the logs{e} {when.q}?|log {en}{e} {when.q}, count|number of {level} lines{e} "
        f"{when.q}|did we log {en}{e} {when.q}, how many?",
        de=f"Wie viele {de} stehen in den Logs{d} {when.q}?|Anzahl {de} im Log{d} {when.q}?",
        zh=f"{when.q}{z}日志里有多少{zh}？|{when.q}{z}{zh}日志数量",
    )  # fmt: skip
    seen = yield call(f"Log lines of level {level}.", "search_logs", level=level, **args, **when.args)
    lines = totals(seen)["lines"]
    yield told(language, f"Totals: lines {lines}.",
        en=f"{lines} {en} in the logs{e} {when.a}.",
        de=f"{lines} {de} in den Logs{d} {when.a}.",
        zh=f"{when.a}{z}日志中有 {lines} 条{zh}。")  # fmt: skip


def logs_find(rng: Rng, language: Language) -> Talk:
    """Words in the logs: when last, where, how many."""
    query, en, de, zh = rng.some([("deadlock", "a deadlock", "Deadlock", "deadlock"), ("timeout", "a timeout",
        "Timeout", "timeout"), ("TLS handshake", "a failed TLS handshake", "TLS handshake", "TLS handshake"), (
        "authentication failed", "authentication failed", "authentication failed", "authentication failed"), (
        "slow query", "a slow query", "slow query", "slow query"), ("no space left", "no space left",
        "no space left", "no space left")])  # fmt: skip
    when = named(rng, language, rng.some(["last_7_days", "last_30_days", "this_month"]))
    yield asked(rng, language, "it_ops",
        en=f"When did the logs last show {en} ({when.q})?|search logs for '{query}' {when.q}, newest?|latest log "
        f"line with {query} {when.q}|which server logged {en} last, {when.q}?",
        de=f"Wann stand zuletzt '{de}' im Log ({when.q})?|Letzte Logzeile mit {de} {when.q}, welcher Server?",
        zh=f"{when.q}日志里最近一次出现 {zh} 是什么时候？|查日志 {zh}，{when.q}最新一条",
    )  # fmt: skip
    seen = yield call(f"Lines with {query!r}, newest first.", "search_logs", query=query, **when.args)
    row, lines = next(iter(table(seen)), None), totals(seen)["lines"]
    if row is None:
        yield told(language, "Totals: lines 0.",
            en=f"The logs show no {query} {when.a}.",
            de=f"In den Logs steht {when.a} kein {query}.",
            zh=f"{when.a}日志中没有 {query}。")  # fmt: skip
        return
    yield told(language, f"First row: {row['logged at']}, {row['server']}, {row['message']}. Totals: lines {lines}."
        [:160],
        en=f"Last on {row['logged at']} on {row['server']}: {row['message']} ({lines} lines {when.a}).",
        de=f"Zuletzt {row['logged at']} auf {row['server']}: {row['message']} ({lines} Zeilen {when.a}).",
        zh=f"最近一次是 {row['logged at']}，{row['server']}：{row['message']}（{when.a}共 {lines} 条）。",
    )  # fmt: skip


def logs_by(rng: Rng, language: Language) -> Talk:
    by, en, de, zh = rng.some([("message", "error message", "Fehlermeldung", "错误信息"), ("server", "server",
        "Server", "服务器"), ("service", "service", "Dienst", "服务")])  # fmt: skip
    when = named(rng, language, rng.some(["last_7_days", "last_30_days", "last_week"]))
    yield asked(rng, language, "it_ops",
        en=f"Which {en} is most frequent among log errors {when.q}?|errors in the logs by {en} {when.q}: top one|"
        f"most errors {when.q}: which {en}?|group log errors {when.q} by {en}, who leads",
        de=f"Fehler im Log nach {de} {when.q}: was ist am häufigsten?|Log-Fehler {when.q} nach {de}, Platz eins?",
        zh=f"{when.q}日志错误最多的{zh}是哪个？|按{zh}统计{when.q}错误日志，第一是",
    )  # fmt: skip
    seen = yield call(f"Error lines counted by {by}.", "search_logs", level="error", group_by=by, **when.args)
    row = next(iter(table(seen)), None)
    if row is None:
        yield told(language, "Nothing matches.",
            en=f"No errors {when.a}.",
            de=f"Keine Fehler {when.a}.",
            zh=f"{when.a}没有错误。")  # fmt: skip
        return
    yield told(language, f"First row: {row[by]}, errors {row['errors']}.",
        en=f"{row[by]}: {row['errors']} errors {when.a}.",
        de=f"{row[by]}: {row['errors']} Fehler {when.a}.",
        zh=f"{when.a}是 {row[by]}，{row['errors']} 条错误。")  # fmt: skip


def unknown_server(rng: Rng, language: Language) -> Talk:
    slip, right = rng.some([("database-01", "db-01"), ("webserver 2", "web-02"), ("mail1", "mail-01"), ("erp1",
        "erp-01")])  # fmt: skip
    yield asked(rng, language, "it_ops",
        en=f"Status of server {slip}?|is server {slip} ok|server {slip}: up or down?|how is the server {slip}",
        de=f"Status des Servers {slip}?|Läuft der Server {slip}?",
        zh=f"服务器 {slip} 的状态？|服务器 {slip} 还好吗")  # fmt: skip
    seen = yield mistake("Status of the server as named.", "get_server_status", server=slip)
    assert seen is not None
    if not seen.failed or right not in seen.text:
        right = ""
    if not right:
        yield told(language, "Error: there is no such server.",
            en=f"I find no server {slip}. What is its host name?",
            de=f"Einen Server {slip} finde ich nicht. Wie heißt der Host?",
            zh=f"没有找到服务器 {slip}，主机名是什么？")  # fmt: skip
        return
    seen = yield call(f"The message names {right}.", "get_server_status", server=right)
    row = table(seen)[0]
    en, de, zh = STATES[row["status"]]
    yield told(language, f"Row {right}: status {row['status']}.",
        en=f"You probably mean {right}: it is {en}.",
        de=f"Gemeint ist wohl {right}: {de}.",
        zh=f"应该是 {right}：{zh}。")  # fmt: skip


TALKS: dict[MakeTalk, int] = {is_it_up: 4, server_load: 3, servers_by_state: 3, server_counts:
    2, high_load: 2, alerts_open: 4, alerts_of_period: 3, alerts_by: 2, logs_count: 3,
    logs_find: 3, logs_by: 2, unknown_server: 1, }  # fmt: skip
