"""What the business tools' labels are called in Chinese: one line a subject, `label=词`."""

from collections.abc import Mapping

_WORDS = """
as of=数据截至|sample company=示例公司|totals=合计|rows=明细|trend=趋势|nothing matches.=没有符合条件的记录。
all dates=全部日期|today=今天|yesterday=昨天|tomorrow=明天|this week=本周|last week=上周|next week=下周
this month=本月|last month=上月|next month=下月|this quarter=本季度|last quarter=上季度|next quarter=下季度
this year=今年|last year=去年|last 7 days=最近7天|last 30 days=最近30天|last 90 days=最近90天
last 12 months=最近12个月|next 30 days=未来30天|the period before=上一期|a year before=去年同期|month=月份
day=日期|period=期间|yes=是|no=否|any=全部|all=全部|purchase orders=采购订单|procurement=采购汇总
top vendors=供应商排名|vendor prices=供应商价格|stock=库存|financial summary=财务摘要|customers=客户|leads=线索
deals=商机|sales pipeline=销售漏斗|servers=服务器|alerts=告警|log lines=日志|calendar=日程|mail=邮件
defect cases=缺陷案例|balances=账户余额|open invoices=未付发票|closed deals=已关闭商机|known causes=已知原因
receipts=收货记录|cases=案例|lines=行|order id=订单号|orders=订单数|ordered=订购金额|received=已收货
not complete=未完成|complete=已完成|complete on time=按时完成|on time=准时率|late=逾期|ordered on=下单日期
due on=到期日|received on=收货日期|total=总额|vendor=供应商|vendor id=供应商编号|buyer=采购员|category=类别
warehouse=仓库|warehouse id=仓库编号|status=状态|rank=排名|share=占比|ranked by=排序依据|grouped by=分组
spend=支出|cancelled orders=已取消订单|left out=不含|line no=行号|receipt id=收货单号|received quantity=已收数量
unit price=单价|prices=价格数|raised=上涨|lowered=下降|average change=平均变动|change=变动|changes=变动次数
first price=期初价|last price=期末价|item=物料|item id=物料编号|quantity=数量|unit=单位|value=金额|amount=金额
positions=库存项|below reorder point=低于再订货点|reorder point=再订货点|low=不足|section=项目|account=科目
balance=余额|kind=类型|invoices=发票数|overdue invoices=逾期发票数|overdue=逾期金额|revenue=营收
cost of sales=销售成本|gross profit=毛利|expenses=费用|net profit=净利|gross margin=毛利率|net margin=净利率
customer=客户|customer id=客户编号|active=活跃|at risk=有流失风险|at_risk=有流失风险|won in period=期内新增
churned in period=期内流失|there at start=期初数量|churn=流失率|region=区域|industry=行业|since=起始日期
owner=负责人|lead id=线索编号|company=公司|contact=联系人|source=来源|created on=创建日期|converted=已转化
conversion=转化率|open=进行中|deal=商机|deal id=商机编号|stage=阶段|probability=概率|expected on=预计日期
won=赢单|lost=丢单|won amount=赢单金额|win rate=赢单率|weighted=加权金额|by day=日期依据|created=创建
closed=关闭|expected=预计|server=服务器|server id=服务器编号|hostname=主机名|up=正常|degraded=性能下降|down=宕机
not_up=异常|maintenance=维护中|cpu=CPU|memory=内存|disk=磁盘|unresolved alerts=未解决告警|environment=环境
role=角色|location=位置|critical=严重|alert id=告警编号|severity=级别|unresolved=未解决|resolved=已解决
raised at=发生时间|resolved at=解决时间|message=内容|minutes to resolve=解决用时（分钟）
average minutes to resolve=平均解决用时（分钟）|logged at=时间|level=级别|service=服务|log id=日志编号
errors=错误|warnings=警告|query=搜索词|event id=日程编号|events=日程数|meetings=会议|leave=请假|title=标题
starts at=开始|ends at=结束|organizer=组织者|mails=邮件数|unread=未读|important=重要|sender=发件人
recipient=收件人|subject=主题|sent at=发送时间|read=已读|importance=重要性|folder=文件夹|inbox=收件箱
case id=案例编号|defect=缺陷|defects=缺陷数|mold=模具|mold id=模具编号|trial=试模|trials=试模次数
found on=发现日期|position=位置|result=结果|run on=日期|shots=模次|rejects=不良数|material=材料|notes=备注
also called=又称|area=方面|cause en=原因（英）|cause zh=原因|remedy en=对策（英）|remedy zh=对策
causes and remedies=原因与对策|meeting=会议|trip=出差|invoice id=发票号|reference=参考号|issued on=开票日期
unpaid=未付|past due=逾期|payable=应付|receivable=应收
"""

CHINESE: Mapping[str, str] = {
    label: word
    for line in _WORDS.strip().split("\n")
    for label, _, word in (pair.partition("=") for pair in line.split("|"))
}
