"""Talks about documents, and those that need no tool: greetings, what is missing, what cannot be done."""

from training.data.assistants.business.parts import asked, keywords, people, told, totals
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Language
from training.data.values import Rng

# Route; the question in three languages; what to search for; what must be found; document; answer.
TOPICS = [("oa", "How many days of annual leave do we get?|vacation entitlement per year, "
    "employee handbook|how " "much annual leave does everybody have",
    "Wie viele Urlaubstage haben wir laut Handbuch (annual leave)?|"
    "Urlaubsanspruch laut Mitarbeiterhandbuch?", "员工手册里年假有多少天？|每年有几天年假",
    "annual leave days", "年假", "25", "Employee handbook", "员工手册",
    "everybody has 25 days of leave a year", "alle haben 25 Urlaubstage im Jahr",
    "每人每年 25 天年假"), ("oa", "From which day on do I need a doctor's note for "
    "sick leave?|sick leave rule: doctor's note when|employee handbook on sick leave?",
    "Ab wann brauche ich bei Krankheit ein Attest (sick leave)?|Krankmeldung: ab welchem Tag "
    "ein Attest, laut " "Handbuch?", "病假第几天起要医生证明？|病假规定是什么",
    "sick leave doctor's note", "病假 医生证明", "third|第三天", "Employee handbook",
    "员工手册", "a doctor's note is needed from the third day on",
    "ein Attest ist ab dem dritten Tag nötig", "第三天起须提供医生证明"), ("oa",
    "How often may office staff work from home?|" "remote work policy: how many days|home "
    "office days per week allowed by the handbook?", "Wie viele Tage Homeoffice sind laut "
    "Handbuch erlaubt (remote work)?|Remote work: wie viele Tage pro Woche?",
    "每周可以远程办公几天？|远程办公规定", "remote work from home days a week", "远程办公",
    "two days|两天", "Employee handbook", "员工手册", "office staff may work from home on two days a "
    "week", "Büroangestellte dürfen an zwei Tagen pro Woche von zu Hause arbeiten",
    "办公室人员每周可在家办公两天"), ("oa", "What may a hotel cost per night on a business trip?|hotel limit "
    "in the travel policy|max hotel price for " "travel", "Was darf ein Hotel laut "
    "Reiserichtlinie kosten?|Hotelgrenze pro Nacht (travel policy)?",
    "出差酒店每晚限额多少？|差旅制度里酒店标准", "hotel price a night travel", "酒店 每晚 差旅",
    "160", "Travel and expenses " "policy", "差旅与报销制度", "hotels may cost up to 160 USD a "
    "night", "Hotels dürfen bis zu 160 USD pro Nacht " "kosten", "酒店每晚不超过 160 USD"), (
    "oa", "Until when must I hand in travel receipts?|deadline for expense "
    "receipts, travel policy|how many days do I have for travel receipts",
    "Bis wann muss ich Reisebelege " "einreichen (travel policy)?|Frist für Belege laut "
    "Reiserichtlinie?", "出差票据要在多少天内提交报销？|报销票" "据期限", "travel receipts "
    "deadline", "票据 提交 报销", "30", "Travel and expenses policy", "差旅与报销制度",
    "receipts are handed in within 30 days", "Belege sind innerhalb von 30 Tagen einzureichen",
    "票据须在 30 天内提交"), ("erp", "Up to which amount may a buyer order alone?|buyer's own limit in "
    "the procurement " "policy|how much can a buyer sign for himself, procurement policy",
    "Bis zu welchem Betrag darf ein Einkäufer " "allein bestellen (procurement policy)?|"
    "Bestellgrenze eines Einkäufers laut Richtlinie?", "采购员可单独审批多少金额的订单？|采购"
    "制度中采购员的权限", "procurement policy buyer order alone amount", "采购员 审批权限", "10,000.00",
    "Procurement policy", "采购制度", "a buyer may place orders of up to 10,000.00 USD "
    "alone", "ein Einkäufer darf bis 10,000.00 USD allein bestellen",
    "采购员可单独审批不超过 10,000.00 USD 的订单"), ("erp", "From what amount do purchases need three "
    "offers?|three written offers: from which order value|" "procurement policy on offers",
    "Ab welchem Bestellwert sind drei Angebote nötig (procurement policy)?|Drei "
    "Angebote: ab wann laut Einkaufsrichtlinie?", "采购金额达到多少须有三份报价？|采购制度对"
    "询价的规定", "three written offers " "orders", "三份书面报价", "5,000.00",
    "Procurement policy", "采购制度", "orders of 5,000.00 USD or more need three "
    "written offers", "ab 5,000.00 USD sind drei schriftliche Angebote nötig",
    "达到 5,000.00 USD 的采购须有三" "份书面报价"), ("erp", "What stock count difference has to be reported "
    "to Finance?|stock counts: which deviation is " "reported, warehouse handbook|rule for "
    "stock count differences", "Welche Inventurdifferenz muss an Finance "
    "gemeldet werden (warehouse handbook)?|Inventur: ab welcher Abweichung melden, laut "
    "Lagerhandbuch?", "盘点差异超过多少须报财务？|仓库手册对盘点差异的规定", "stock counts differences reported to "
    "Finance", "盘点 差异", "2 %", "Warehouse handbook", "仓库手册",
    "differences of more than 2 % are reported to Finance before " "they are posted",
    "Abweichungen über 2 % werden vor dem Buchen an Finance gemeldet",
    "差异超过 2 % 须先报财务再入账"), ("crm", "Which discount may an account manager give?|discount limits "
    "in the sales " "handbook|how much discount can sales give without asking",
    "Welchen Rabatt darf ein Kundenbetreuer geben " "(sales handbook, discount)?|Rabattgrenze "
    "laut Vertriebshandbuch (discount)?", "客户经理最多可以给多少折扣？|销售手册里的折扣权限",
    "discount account manager", "折扣权限 客户经理", "5 %", "Sales handbook", "销售手册",
    "an account manager may give up to 5 % discount", "ein Kundenbetreuer darf bis zu 5 "
    "% Rabatt geben", "客户经理最多可给 5 % 折扣"), ("crm", "How fast must a new lead be contacted?|time "
    "limit for " "contacting new leads, sales handbook|lead contact rule",
    "Wie schnell muss ein neuer Lead kontaktiert werden " "(sales handbook)?|Frist für neue "
    "Leads laut Vertriebshandbuch?", "新线索须在多久内联系？|销售手册对新线索的要" "求",
    "new lead contacted within", "新线索 联系", "two working days|两个工作日", "Sales handbook",
    "销售手册", "a new lead is contacted within two working days",
    "ein neuer Lead wird innerhalb von zwei Arbeitstagen " "kontaktiert",
    "新线索须在两个工作日内联系"), ("it_ops", "When is the server maintenance window?|maintenance window of "
    "IT|" "on what day does IT do maintenance, policy", "Wann ist das Wartungsfenster der "
    "Server (maintenance)?|" "Wartungsfenster laut IT-Richtlinie?",
    "服务器维护窗口是什么时候？|IT 维护制度的维护时间", "maintenance window", "维护窗口",
    "06:00", "Maintenance and backup policy", "维护与备份制度", "the window is Saturday 06:00 to "
    "12:00", "das Fenster ist samstags 06:00 bis 12:00", "维护窗口为每周六 06:00 至 12:00"), (
    "it_ops", "How long are backups kept?|retention of backups, IT policy|backup: for how many "
    "days", "Wie lange werden Backups aufbewahrt?|Backup-Aufbewahrung laut Richtlinie?",
    "备份保留多少天？|备份制度：保留期", "backups kept days", "备份 保留", "35",
    "Maintenance and backup policy", "维护与备份制度", "backups are kept for 35 days",
    "Backups werden 35 Tage aufbewahrt", "备份保留 35 天"), ("it_ops",
    "What does the runbook say about a full disk?|disk full on a server: first steps of the "
    "runbook|" "runbook: disk full", "Was sagt das Runbook bei voller Platte (disk full)?|"
    "Runbook: disk full, erste Schritte?", "运维手册：Disk full 怎么处理？|磁盘满了运维手册怎"
    "么说", "disk full first steps", "Disk full 删除 归档日志", "14", "Runbook: incidents",
    "运维手册：故障处理", "remove rotated logs older than 14 days, then extend the " "volume",
    "rotierte Logs löschen, die älter als 14 Tage sind, dann das Volume erweitern",
    "删除 14 天以前的归档日志，然后扩容"), ("mold", "When is a mold released after T2?|release rule for molds "
    "after trial T2|" "trial procedure: what reject rate is allowed for release",
    "Wann wird eine Mold nach T2 freigegeben (trial " "procedure)?|Freigaberegel nach T2: "
    "welche Ausschussquote?", "T2 试模后什么条件放行模具？|试模流程：放行时" "不良率要求",
    "mold release T2 trial procedure", "T2 试模 放行", "2 %", "Procedure for mold trials",
    "试模流程", "it is released when no major or critical defect is left and the reject rate is "
    "below 2 %", "Freigabe, wenn kein major/critical Defekt bleibt und der Ausschuss unter 2 % "
    "liegt", "没有主要或严重缺陷且不良率低于 2 % 时放行"), ("general", "What is the limit for gifts in the code "
    "of conduct?|may I accept a " "gift, company rules|code of conduct: gifts",
    "Bis zu welchem Wert darf ich Geschenke annehmen (code of "
    "conduct)?|Verhaltenskodex: Geschenke (code of conduct)?",
    "行为准则：礼品限额是多少？|可以收多少价值的礼品，" "公司规定", "gifts code of conduct",
    "行为准则 礼品", "50", "Company profile", "公司简介", "gifts worth more than 50 dollars are not "
    "accepted", "Geschenke über 50 Dollar werden nicht angenommen",
    "不接受价值超过 50 美元的礼品"), ]  # fmt: skip


def policy(rng: Rng, language: Language) -> Talk:
    """A rule of a document, with its name."""
    route, en, de, zh, query, suche, must, name, ming, a_en, a_de, a_zh = rng.some(TOPICS)
    said = rng.some({"en": en, "de": de, "zh": zh}[language].split("|"))
    yield asked(rng, language, route, en=said, de=said, zh=said)
    wanted = {"en": keywords(said), "de": query, "zh": suche}[language]
    seen = yield call(rng.some(["A rule: it stands in the documents.", "Policies and handbooks are in the "
        "knowledge base."]), "search_knowledge_base", query=wanted)  # fmt: skip
    assert seen is not None
    if not any(each in seen.text for each in must.split("|")) or (ming if language == "zh" else name) not in seen.text:
        return
    document = ming if language == "zh" else name
    yield told(language, f"{document}: {a_zh if language == 'zh' else a_en}."[:160],
        en=f"According to the {name} (of the sample company), {a_en}.",
        de=f"Laut {name} (der Beispielfirma): {a_de}.",
        zh=f"根据《{ming}》（示例公司文件），{a_zh}。",
    )  # fmt: skip


def not_documented(rng: Rng, language: Language) -> Talk:
    """Something no document speaks of."""
    en, de, zh, query, cha = rng.some([("Is there a policy on bringing dogs to the office?|dog "
        "policy?|company " "rule about pets", "Gibt es eine Regel zu Hunden im Büro (policy)?|"
        "Richtlinie zu Haustieren (policy)?", "公司有带宠物上班的规定吗？|宠物制度",
        "pets dogs office", "宠物 上班"), ("What does the handbook say about parental leave?|"
        "parental leave policy|rules on parental leave", "Was sagt das Handbuch zur Elternzeit "
        "(parental leave)?|" "Elternzeit laut Handbuch?", "员工手册对育儿假怎么规定？|育儿假制"
        "度", "parental leave", "育儿假"), ("What is the policy on company cars?|company car rules|"
        "policy: private use of company cars", "Welche Regel gilt für Firmenwagen (policy)?|"
        "Firmenwagen-Richtlinie (policy)?", "公司用车制度是什么？|公车私用的规定",
        "company cars private use", "公司用车 公车")])  # fmt: skip
    said = rng.some({"en": en, "de": de, "zh": zh}[language].split("|"))
    yield asked(rng, language, "general", en=said, de=said, zh=said)
    wanted = {"en": keywords(said), "de": query, "zh": cha}[language]
    yield call("A rule: look in the documents.", "search_knowledge_base", query=wanted)
    yield told(language, "None of the passages speaks of this.",
        en="I find nothing about that in our documents. HR may be able to tell you.",
        de="Dazu finde ich in unseren Dokumenten nichts. Die Personalabteilung weiß vielleicht mehr.",
        zh="在我们的文件中没有找到相关规定，可以咨询人事部。",
    )  # fmt: skip


def policy_then_figure(rng: Rng, language: Language) -> Talk:
    """A rule, then how many orders it touches."""
    yield asked(rng, language, "erp",
        en="From what order value does a director have to sign, and how many such purchase orders did we place "
        "last year?|director's signature: limit in the procurement policy, and number of purchase orders from that "
        "value up last year|who needs a director's signature for purchase orders, and how often was that last year",
        de="Ab welchem Bestellwert muss ein Direktor unterschreiben (procurement policy), und wie viele "
        "Bestellungen waren das letztes Jahr?|Direktorenunterschrift bei Bestellungen: ab wann, und wie oft "
        "letztes Jahr?",
        zh="采购订单超过多少须总监签字，去年有多少张？|采购制度：总监签字的金额，去年有几张这样的采购订单",
    )  # fmt: skip
    seen = yield call("First the rule, from the documents.", "search_knowledge_base", query="采购订单 总监签字" if
        language == "zh" else "director signature purchase orders")  # fmt: skip
    assert seen is not None
    if "50,000.00" not in seen.text:
        return
    seen = yield call("Above 50,000.00 USD; now count them.", "get_purchase_orders", min_amount=50000,
        period="last_year")  # fmt: skip
    orders = totals(seen)["orders"]
    yield told(language, f"Policy: above 50,000.00 USD. Totals: orders {orders}.",
        en="Per the Procurement policy (sample company), orders above 50,000.00 USD need a director; last year "
        f"{orders} orders were of 50,000 USD or more.",
        de=f"Laut Procurement policy (Beispielfirma) ab über 50,000.00 USD; letztes Jahr waren es {orders} "
        "Bestellungen ab 50,000 USD.",
        zh=f"根据《采购制度》（示例公司），超过 50,000.00 USD 须总监签字；去年 50,000 USD 以上的订单有 {orders} 张"
        "。",
    )  # fmt: skip


def greeting(rng: Rng, language: Language) -> Talk:
    yield asked(rng, language, "general", again=True,
        en="hello|hi there|good afternoon|hey, are you there|hiya assistant",
        de="Hallo|Guten Morgen|Hallo, wer bist du?",
        zh="你好|您好|早上好，你是谁")  # fmt: skip
    yield told(language, "A greeting: no tool.",
        en="Hello! I am the business assistant. Ask me about purchasing, stock, finance, sales, IT, calendars, "
        "mail or molds.",
        de="Hallo! Ich bin der Business-Assistent und helfe bei Einkauf, Lager, Finanzen, Vertrieb, IT, Kalender, "
        "Mail und Werkzeugen.",
        zh="您好！我是业务助手，可以回答采购、库存、财务、销售、IT、日程、邮件和模具方面的问题。",
    )  # fmt: skip


def abilities(rng: Rng, language: Language) -> Talk:
    yield asked(rng, language, "general",
        en="What can you do?|what can you help me with|help|what kind of questions do you answer?",
        de="Was kannst du?|Hilfe, wobei kannst du helfen?",
        zh="你能做什么？|你可以帮我做哪些事")  # fmt: skip
    yield told(language, "About myself: no tool.",
        en="I look things up in the company's systems: purchase orders, stock, finance, customers and deals, "
        "servers and alerts, calendars, mail, employees, mold defects and policies. I can also schedule meetings.",
        de="Ich sehe in den Systemen nach: Bestellungen, Bestand, Finanzen, Kunden und Deals, Server und Alarme, "
        "Kalender, Mail, Mitarbeitende, Defekte und Richtlinien. Besprechungen kann ich auch ansetzen.",
        zh="我可以查询公司系统：采购订单、库存、财务、客户与商机、服务器与告警、日程、邮件、员工、模具缺陷和制"
        "度，也可以安排会议。",
    )  # fmt: skip


def thanks(rng: Rng, language: Language) -> Talk:
    """A figure, then thanks."""
    yield asked(rng, language, "it_ops",
        en="How many servers are running fine at the moment?|servers up right now, number|count of servers that "
        "are up",
        de="Wie viele Server laufen gerade?|Anzahl laufender Server?",
        zh="现在有几台服务器正常运行？|正常的服务器数量")  # fmt: skip
    seen = yield call("Servers that are up.", "get_server_status", status="up")
    servers = totals(seen)["servers"]
    yield told(language, f"Totals: servers {servers}.",
        en=f"{servers} servers are up.",
        de=f"{servers} Server laufen.",
        zh=f"{servers} 台服务器正常运行。")  # fmt: skip
    yield asked(rng, language, "general", again=True,
        en="thanks!|thank you, that helps|great, thanks a lot",
        de="Danke!|Danke, das hilft",
        zh="谢谢！|好的，谢谢")  # fmt: skip
    yield told(language, "Thanks: no tool.", en="You are welcome.", de="Gern geschehen.", zh="不客气。")


def cannot(rng: Rng, language: Language) -> Talk:
    """What no tool does."""
    person = rng.some(people())
    en, de, zh, what, was, shenme, route = rng.some([("Cancel purchase order PO-00{n} for me|please cancel "
        "PO-00{n}", "Storniere bitte die Bestellung PO-00{n}|PO-00{n} bitte stornieren",
        "请取消采购订单 PO-00{n}|帮我取消 PO-00{n}", "cancel orders", "Bestellungen stornieren", "取消订单", "erp"),
        (f"Send an e-mail to {person} about the delay|write a mail to {person} and send it",
        f"Schicke {person} eine E-Mail zur Verspätung|Sende {person} eine Mail",
        f"给 {person} 发一封邮件|请发邮件通知 {person}", "send mail", "Mails senden", "发送邮件", "oa"), (
        "Restart the server web-01|reboot db-02 now please", "Starte den Server web-01 neu|Bitte db-02 neu starten "
        "(reboot)", "重启服务器 web-01|请重启 db-02", "restart servers", "Server neu starten", "重启服务器",
        "it_ops"), ("Pay the oldest vendor invoice|release the payment of our overdue vendor invoices",
        "Bezahle die älteste Lieferantenrechnung (invoice)|Überweise die überfälligen Rechnungen (payable)",
        "支付最早的供应商发票|把逾期的供应商发票付掉", "pay invoices", "Rechnungen bezahlen", "付款", "erp"), (
        "Raise the list price of the Sensor Housing by 5 %|change the stock of ABS 757K to 500 kg",
        "Erhöhe den Listenpreis (list price) des Sensor Housing um 5 %|Setze den Bestand (stock) von ABS 757K auf "
        "500 kg", "把 Sensor Housing 的标价提高 5%|把 ABS 757K 的库存改成 500 kg", "change data", "Daten ändern",
        "修改数据", "erp")])  # fmt: skip
    n = rng.randrange(100, 999)
    yield asked(rng, language, route, again=True, en=en.replace("{n}", str(n)), de=de.replace("{n}", str(n)), zh=zh.
        replace("{n}", str(n)))  # fmt: skip
    yield told(language, "No tool does that: say so.",
        en=f"I cannot {what}: I can only look things up and schedule meetings. Shall I look something up for you?",
        de=f"Das kann ich nicht ({was}): Ich kann nur nachsehen und Besprechungen ansetzen. Soll ich etwas "
        "nachsehen?",
        zh=f"我不能{shenme}，只能查询信息和安排会议。需要我查点什么吗？",
    )  # fmt: skip


def ask_back(rng: Rng, language: Language) -> Talk:
    """Something is missing without which nothing can be looked up."""
    route, en, de, zh, a_en, a_de, a_zh = rng.some([("erp", "What is the status of the "
        "purchase order?|when will " "the order arrive?|where is that purchase order",
        "Welchen Status hat die Bestellung (order)?|Wann kommt "
        "die Bestellung an (purchase order)?", "那张采购订单是什么状态？|采购订单什么时候到货",
        "Which purchase order do you mean? " "Please give me its number (PO-…) or the vendor.",
        "Welche Bestellung meinst du? Bitte Nummer (PO-…) oder " "Lieferant nennen.",
        "您指哪张采购订单？请提供编号（PO-…）或供应商。"), ("mold",
        "Show me the trial history of the mold|how did " "the mold trials go?|results of the "
        "mold's trial runs", "Zeig mir die Trial-Historie der Mold|Wie liefen "
        "die Trials der Mold?", "给我看那副模具的试模记录|模具试模结果怎么样", "Which mold? Please give me its id "
        "(MD-…) or " "name.", "Welche Mold? Bitte Nummer (MD-…) oder Namen nennen.",
        "哪副模具？请提供编号（MD-…）或名称。"), ("crm", "How much revenue did we make with the customer?|what "
        "does the customer owe us|who looks after the " "customer?",
        "Wie viel Umsatz haben wir mit dem Kunden gemacht (customer)?|Wer betreut den Kunden "
        "(customer)?", "我们和那个客户的营收是多少？|那个客户是谁负责", "Which customer do you mean? Please give me "
        "the " "name.", "Welchen Kunden meinst du? Bitte den Namen nennen.",
        "您指哪个客户？请告诉我名称。"), ("it_ops", "Is the server ok?|what is the CPU load of the server|is "
        "that server up again", "Läuft der Server wieder?|Wie ist die CPU-Last des Servers?",
        "那台服务器正常了吗？|服务器的 CPU 占用多少", "Which server? Please give me its host name, such as "
        "db-01.", "Welcher Server? Bitte den Hostnamen nennen, " "etwa db-01.",
        "哪台服务器？请提供主机名，例如 db-01。"), ("mold", "What is the remedy for the defect?|how do we fix "
        "that " "defect|cause of the defect?", "Was hilft gegen den Defekt (defect)?|Ursache "
        "des Defekts (defect)?", "那个缺陷怎么解决？|缺陷的原因是什么", "Which defect is it: flash, sink marks, "
        "short shots or another?", "Um welchen Defekt geht es: Grat, Einfallstellen oder etwas "
        "anderes?", "是哪种缺陷：披锋、缩水、缺胶还是其" "他？")])  # fmt: skip
    yield asked(rng, language, route, en=en, de=de, zh=zh)
    yield told(language, "It is not said which one: ask.", en=a_en, de=a_de, zh=a_zh)


def plain_knowledge(rng: Rng, language: Language) -> Talk:
    """What a word of business means: no figure of the company."""
    route, en, de, zh, a_en, a_de, a_zh = rng.some([("erp", "What does 'reorder point' mean?|"
        "explain the term " "reorder point", "Was bedeutet 'Meldebestand' (reorder point)?|"
        "Erkläre den Begriff reorder point", "再订货点是什么意思？|解释一下再订货点",
        "The reorder point is the stock level below which an item has to be bought " "again.",
        "Der Meldebestand ist die Menge, unter der ein Artikel nachbestellt werden muss.",
        "再订货点是指库存低于该数量时就需要补货的水平。"), ("erp", "What is the difference between gross margin and "
        "net margin?|gross vs " "net margin, explain the terms",
        "Was ist der Unterschied zwischen Brutto- und Nettomarge (margin)?|"
        "Erkläre gross margin und net margin", "毛利率和净利率有什么区别？|解释毛利率与净利率",
        "Gross margin is revenue less cost of " "sales, net margin also less all expenses, "
        "each as a share of revenue.", "Die Bruttomarge zieht vom Umsatz die Umsatzkosten ab, "
        "die Nettomarge auch alle übrigen Ausgaben, jeweils " "als Anteil am Umsatz.",
        "毛利率是收入减去销售成本后的占比，净利率还要减去所有费用。"), ("crm",
        "What is a weighted pipeline?|explain " "weighted sales pipeline as a term",
        "Was ist eine gewichtete Pipeline?|Erkläre den Begriff gewichtete " "Pipeline",
        "什么叫加权销售漏斗？|解释加权漏斗的含义", "It counts each open deal at its amount times the probability "
        "of its " "stage.", "Jeder offene Deal zählt mit Betrag mal Wahrscheinlichkeit seiner "
        "Stufe.", "即每个未结商机按金额乘以所处阶段的成交概率计算。"), ("crm", "What does churn mean?|explain 'churn' "
        "in " "sales", "Was heißt Churn?|Erkläre den Begriff Churn",
        "客户流失率是什么意思？|解释一下 churn", "Churn is the share of customers that leave within a "
        "period.", "Churn ist der Anteil der Kunden, die in " "einem Zeitraum abwandern.",
        "客户流失率是指某段时间内离开的客户所占比例。")])  # fmt: skip
    yield asked(rng, language, route, en=en, de=de, zh=zh)
    yield told(language, "A word to explain: no figure, no tool.", en=a_en, de=a_de, zh=a_zh)


TALKS: dict[MakeTalk, int] = {policy: 12, not_documented: 2, policy_then_figure: 2, greeting: 2, abilities: 1,
    thanks: 2, cannot: 3, ask_back: 4, plain_knowledge: 2, }  # fmt: skip
