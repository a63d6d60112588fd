"""Orders to do something, `send a mail`, `approve PO-01613` or 发邮件给…, where no tool has such an effect.

Owns telling an order from a question that only looks at what others did (`cancelled orders`, `change in revenue`). A
verb that is a noun too counts only where an article or the like follows.
"""

import re

from glassloop.core.words import has_cjk
from glassloop.models.reflex.question import Question
from glassloop.models.reflex.terms import is_german

LONGEST = 80

_POLITE = (
    r"(?:(?:please|kindly|hey|hi|hello|now|then|also|and|ok(?:ay)?|so|can|could|would|will|you|i|we|want|need|like|to|"
    r"i'd|go|ahead|just|must|should|have|let's)[,\s]+)*"
)
_DOES = (
    "send|approve|reject|decline|delete|remove|erase|cancel|pay|refund|reimburse|restart|reboot|shut\\s+down|assign|"
    "reassign|reschedule|postpone|create|add|buy|purchase|invite|notify|forward|reply|respond|rename|acknowledge|submit|"
    "block|unblock|edit|modify|install|deploy|upload|hire|fire|sign|ship|inform|remind|escalate|archive|reset|turn\\s+off|"
    "turn\\s+on|switch\\s+off|switch\\s+on|write\\s+off|call\\s+off"
)
_MAY_DO = (
    "order|book|update|change|close|open|move|set|mark|mail|email|e-mail|message|text|call|transfer|resolve|schedule|"
    "arrange|reserve|register|release|issue|stop|start|raise|lower|increase|reduce|file|post|print"
)
_OBJECT = (
    r"(?:a|an|the|this|that|these|those|my|our|his|her|their|its|all|every|it|them|him|me|us|everyone|everybody|\d+)\b"
    r"|[A-Z][a-z]+(?:\s|$)|[A-Za-z]{1,5}-\d|[\w.+-]+@"
)
_ORDER = re.compile(
    rf"^\s*(?i:{_POLITE})(?P<order>(?:(?i:{_DOES})\b(?!\s*(?:\?|$|(?i:of|by|rate|status)\b))"
    rf"|(?i:{_MAY_DO})\s+(?={_OBJECT})(?!\S+\s+(?i:of|status)\b)).*)$",
    re.DOTALL,
)
_SHOWN = re.compile(
    r"\b(?:chart|table|report|list|overview|summary|graph|diagram|ranking|comparison|breakdown|forecast|statistic)s?\b",
    re.IGNORECASE,
)
_MAKES = re.compile(r"(?:create|add|open|print|order|call|set|start|raise|send\s+(?:me|us))\b", re.IGNORECASE)
_LOOKED_AT = re.compile(r"(?:open|order|call|text|message|start|raise|issue)\s+[A-Za-z]{1,5}-\d", re.IGNORECASE)
_POLITE_CHINESE = (
    r"(?:请|麻烦|帮忙|帮我|给我|替我|你|您|能不能|可不可以|可以|能|我想|我要|我们要|现在|马上|立即|立刻|然后|再|并|并且"
    r"|把|将|[，,\s])*"
)
_DOES_CHINESE = (
    "发(?:送|一?封?(?:个)?(?:邮件|信|消息|通知))|群发|寄|转发|回复|批准|审批|驳回|拒绝|删除|删掉|取消|撤销|修改|更改|改成|改为|"
    "重启|重置|关闭|关掉|付款|支付|转账|退款|下单|下订单|订购|购买|新建|创建|添加|新增|通知|提醒|邀请|更新|分配|冻结|解冻|签署|上传|部署"
)
_ORDER_CHINESE = re.compile(
    rf"^{_POLITE_CHINESE}(?P<order>(?:{_DOES_CHINESE})(?!的|流程|制度|规定|情况|记录|状态|率|条件|方式|了(?:多少|哪|几)).*)$"
    rf"|^{_POLITE_CHINESE}(?P<put>.{{1,40}}?(?:{_DOES_CHINESE}|发给)(?:了|掉|一下|给.{{1,20}})?[。!！]?)$",
    re.DOTALL,
)
_PUTS = re.compile(r"[把将]")
_ASKS_CHINESE = re.compile(r"怎么|如何|什么|多少|哪|谁|是否|有没有|几[个家笔条]|为什么|报表|图表|列表|清单")

_SAID = "I can look things up, but there is no tool here to {order}."
_SAID_ZH = "我只能查询；这里没有可以做这件事的工具：{order}。"
_SAID_DE = "Ich kann nur nachsehen; für diesen Auftrag gibt es hier kein Werkzeug: {order}."


def order_in(question: Question) -> str:
    """What is to be done, in the person's words; empty where something is only asked for."""
    text = question.text.strip()
    if has_cjk(text):
        return _chinese_order(text)
    match = _ORDER.match(text)
    if match is None or _LOOKED_AT.match(match["order"]):
        return ""
    order = match["order"].strip(" .!?")
    return "" if _MAKES.match(order) and _SHOWN.search(order) else order


def refusal(question: Question, order: str) -> str:
    """That it cannot be done here."""
    form = _SAID_ZH if has_cjk(question.text) else _SAID_DE if is_german(question.text) else _SAID
    said = order if len(order) <= LONGEST else f"{order[: LONGEST - 1].rstrip()}…"
    return form.format(order=said[:1].lower() + said[1:] if said[1:2].islower() else said)


def _chinese_order(text: str) -> str:
    if _ASKS_CHINESE.search(text):
        return ""
    match = _ORDER_CHINESE.match(text)
    if match is None or (match["put"] and not _PUTS.search(text[: match.start("put") + 1])):
        return ""
    return (match["order"] or match["put"]).strip(" 。.!！?？吗")
