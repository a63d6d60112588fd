# ruff: noqa: E501
"""Questions with their right passages, made from what every Python has, and a small Chinese set written for this.

Code: the first sentence of a function's docstring asks for the function, which is shown without its docstring.
English: the first sentence of a docstring asks for the rest of it. Chinese: faults of injection moulding, asked in
other words than the passages use; the synonyms are those that a pack would bring.
"""

import ast
import random
import sysconfig
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from glassloop.retrieval import DocumentSource

SEED = 7


@dataclass
class Set:
    """`asked`: a question and the name of the one document that answers it."""

    name: str
    sources: list[DocumentSource] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    synonyms: dict[str, list[str]] = field(default_factory=dict)


def code(questions: int, passages: int) -> Set:
    made = Set("code")
    for name, node, lines in _definitions((ast.FunctionDef, ast.AsyncFunctionDef)):
        doc = ast.get_docstring(node) or ""
        first = node.body[0]
        body = lines[node.lineno - 1 : first.lineno - 1] + lines[(first.end_lineno or 0) : node.end_lineno]
        sentence = _sentence(doc)
        if sentence and len(body) >= 4 and sum(map(len, body)) < 1200:
            made.sources.append(DocumentSource(name=name, text=textwrap.dedent("\n".join(body)), kind=".py"))
            made.asked.append((sentence, name))
    return _cut(made, questions, passages)


def english(questions: int, passages: int) -> Set:
    made = Set("English")
    for _, node, _ in _definitions((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        doc = ast.get_docstring(node) or ""
        sentence = _sentence(doc)
        rest = doc.partition("\n\n")[2].strip()
        if sentence and 120 < len(rest) < 800 and ">>>" not in rest:
            made.sources.append(DocumentSource(name=f"passage {len(made.sources)}", text=rest, kind=".txt"))
            made.asked.append((sentence, made.sources[-1].name))
    return _cut(made, questions, passages)


def _cut(made: Set, questions: int, passages: int) -> Set:
    """The same choice each time. Questions that are asked twice have no one answer."""
    order = list(range(len(made.asked)))
    random.Random(SEED).shuffle(order)
    texts: dict[str, int] = {}
    for question, _ in made.asked:
        texts[question] = texts.get(question, 0) + 1
    order = [place for place in order if texts[made.asked[place][0]] == 1][:passages]
    made.sources = [made.sources[place] for place in order]
    made.asked = [made.asked[place] for place in order[:questions]]
    return made


def _sentence(doc: str) -> str:
    first = " ".join(doc.partition("\n\n")[0].split())
    return first if 25 <= len(first) <= 200 else ""


def _definitions(kinds: tuple[type, ...]):
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if (
            relative.parts[0] in ("test", "site-packages", "dist-packages", "idlelib", "lib2to3")
            or "tests" in path.parts
        ):
            continue
        try:
            text = path.read_text("utf-8")
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, kinds) and ast.get_docstring(node):
                yield f"{relative}:{node.lineno}", node, text.splitlines()


SYNONYMS = {
    "披锋": ["飞边", "毛边", "溢料", "flash"],
    "缩水": ["缩痕", "凹痕", "sink mark"],
    "拉白": ["顶白", "发白", "应力发白"],
    "模具": ["模仁", "型腔模", "mold"],
    "缺胶": ["短射", "填充不足", "欠注", "short shot"],
    "夹水纹": ["熔接痕", "结合线", "weld line"],
    "烧焦": ["焦痕", "碳化", "困气烧伤"],
    "银纹": ["料花", "银丝", "水花"],
}

_CHINESE = [
    ("飞边成因", "注塑件分型面边缘出现飞边，多因锁模力不足、注射压力过高或分型面磨损。应先检查锁模力，再逐步降低保压。", ["披锋怎么处理", "产品边上有一圈薄薄的溢料是什么原因", "锁模力不足会怎样"]),
    ("毛边修理", "轻微毛边可以用刮刀手工修整，批量出现时须停机检查合模面是否有异物，必要时重新研配分型面。", ["批量毛边要不要停机", "手工修整刮刀"]),
    ("缩痕对策", "厚壁处或加强筋背面产生缩痕，说明保压时间短、浇口冻结过早。延长保压、降低料温、减薄筋根部壁厚可改善。", ["缩水如何改善", "筋的背面凹下去", "保压时间短的后果"]),
    ("顶白分析", "顶针位置出现顶白，是脱模阻力大、局部应力集中所致。加大脱模斜度、抛光型芯、放慢顶出速度。", ["拉白", "顶针周围发白怎么办", "脱模斜度太小"]),
    ("折弯发白", "薄片卡扣折弯处发白属于应力发白，与材料牌号有关，可换用抗冲改性料或加大圆角。", ["卡扣折弯处拉白", "抗冲改性料什么时候用"]),
    ("短射处理", "末端短射时，提高注射速度与料温，检查止逆环是否漏料，并在末端增加排气槽。", ["缺胶的解决办法", "填充不足要检查止逆环吗", "排气槽加在哪里"]),
    ("熔接痕", "两股料流汇合处产生熔接痕，提高模温和注射速度、移动浇口位置、增设冷料井能减轻。", ["夹水纹太明显", "料流汇合处有线", "冷料井的作用"]),
    ("困气烧伤", "料流末端困气被压缩升温，使塑料碳化发黑。降低注射速度、清理排气槽、在死角加镶件排气。", ["烧焦发黑", "死角排气用镶件"]),
    ("银丝料花", "原料未烘干时表面出现银丝，沿流动方向呈放射状。聚碳酸酯应在一百二十度烘料四小时。", ["银纹是水分引起的吗", "聚碳酸酯烘料温度", "放射状条纹"]),
    ("翘曲变形", "冷却不均或取向收缩差异引起翘曲。平衡前后模水路温差，延长冷却时间，必要时用治具定型。", ["产品变形弯曲", "前后模水路温差", "治具定型"]),
    ("模仁保养", "型腔模每五万模次须拆卸清洗，检查导柱、顶针与弹簧，涂防锈油后入库。", ["模具多久保养一次", "导柱和弹簧检查", "入库前防锈"]),
    ("模温控制", "模温机的设定应参照材料手册，半结晶材料需要较高模温才能充分结晶，保证尺寸稳定。", ["尺寸不稳定和结晶", "模温机怎么设定"]),
    ("换模流程", "快速换模分为内部作业与外部作业：停机前备好吊具、水管与压板，停机后只做拆装与对中。", ["快速换模步骤", "吊具和压板什么时候准备"]),
    ("试模记录", "每次试模应记录射胶量、各段速度压力、冷却时间与样件重量，样件编号后交品质部测量。", ["试模要记录什么", "样件重量交给谁"]),
    ("来料检验", "塑料粒子到货后核对牌号与批次，抽样测熔融指数与含水率，不合格批次隔离并通知供应商。", ["熔融指数抽样", "不合格的原料批次怎么办", "含水率检验"]),
    ("首件确认", "开机稳定后取连续三模做首件，外观、尺寸、装配三项合格由班长签字才可量产。", ["首件谁签字", "量产前要确认什么"]),
    ("不良品流程", "不良品贴红色标签放入隔离区，由品质工程师判定返工、特采或报废，当班录入系统。", ["红色标签是什么意思", "特采由谁判定", "报废流程"]),
    ("客诉处理", "收到客户投诉须在二十四小时内回复临时措施，五个工作日提交八维报告，附根因与验证数据。", ["客户投诉多久要回复", "八维报告什么时候交"]),
    ("请假制度", "员工请假三天以内由主管批准，三天以上须经理批准；病假需附医院证明，事后补单不得超过两日。", ["病假证明", "请四天假谁批准", "补单期限"]),
    ("加班规定", "平日加班按一点五倍计算，周末两倍，法定节假日三倍；每月加班不得超过三十六小时。", ["节假日加班工资几倍", "每月加班上限"]),
    ("差旅报销", "出差回来一周内提交报销单，住宿按城市级别限额，超出部分自理，发票抬头须为公司全称。", ["发票抬头写什么", "住宿超标谁付", "报销单什么时候交"]),
    ("仓库盘点", "每月最后一个工作日盘点，实物与账面差异超过千分之三须查明原因并由财务复核。", ["盘点差异多少要查", "财务复核"]),
    ("安全须知", "进入模具安装区必须戴安全帽，机械手运行时禁止伸手入模，急停按钮每班点检。", ["机械手运行时能不能伸手", "急停按钮检查"]),
    ("螺杆清洗", "换色前用清洗料冲洗螺杆与料筒，先升温十度再低速多次射空，直到射出的料颜色一致。", ["换色怎么清洗料筒", "射空几次"]),
    ("色差", "产品颜色与样板不一致时，核对色粉配比与混料时间，并检查背压是否足以让颜色分散均匀。", ["颜色和样板不一样", "背压与颜色分散"]),
    ("浇口设计", "点浇口便于自动断料但压力损失大，潜伏式浇口适合外观件，扇形浇口可减少大平板翘曲。", ["外观件用什么浇口", "大平板用扇形浇口"]),
    ("螺丝柱开裂", "自攻螺丝柱开裂多因柱孔偏小或熔接痕落在柱上，放大孔径并移开浇口，使料流不在柱处汇合。", ["打螺丝时柱子裂了", "柱孔偏小"]),
    ("水路堵塞", "冷却水路结垢使周期变长，每季度用酸性除垢剂循环清洗，并在进水口装过滤器。", ["冷却水路结垢", "成型周期变长的原因", "除垢剂多久用一次"]),
    ("热流道", "热流道漏胶先断电冷却再拆分流板，检查密封圈与热嘴膨胀量，装回后分段升温。", ["热嘴漏胶怎么拆", "分流板密封圈"]),
    ("二次料比例", "外观件禁止使用回料，结构件回料比例不得超过百分之二十，且须过筛除铁。", ["回料可以加多少", "外观件能不能用水口料"]),
]  # fmt: skip


def chinese() -> Set:
    made = Set("Chinese", synonyms=SYNONYMS)
    for _, text, questions in _CHINESE:
        # Its title would give the answer away.
        made.sources.append(DocumentSource(name=f"文档{len(made.sources)}", text=text, kind=".txt"))
        made.asked += [(question, made.sources[-1].name) for question in questions]
    return made
