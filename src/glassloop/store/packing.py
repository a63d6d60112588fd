"""Event bodies made small: raw deflate with a dictionary of what events always say.

Most of a small event is the names of its fields, so even a few hundred bytes shrink to a quarter. Short bodies stay
JSON as they are. The dictionary is part of the stored format: it never changes; another one gets another first byte.
"""

import zlib

SHORTEST = 640
MOST_BYTES = 512 * 1024 * 1024

_PACKED = b"\x01"
_SMALL = 8_000
_DICTIONARY = (
    b'{"text":"","reason":"answered","partial":false,"block":1}{"accepted":true,"evidence":{"figures":[{"text":"",'
    b'"kind":"number","start":0,"end":0,"source":"call_1","found":""}],"sourced":0},"evaluation":{"completeness_score":'
    b'8.0,"quality_score":8.0,"missing_info":[],"needs_retry":false,"suggestions":[]},"block":1}{"plan":{"query":"",'
    b'"complexity":"simple","steps":[{"step_number":1,"description":"","tool_name":"","parameters":{},"required":true,'
    b'"depends_on":null}],"estimated_iterations":1}}{"route":{"destination":"general_agent","reasoning":"",'
    b'"secondary_domains":[],"confidence":1.0},"farewell":null}{"messages":[{"role":"user","content":""},{"role":"tool",'
    b'"call_id":"","tool":"","content":"","is_error":false}]}{"status":"completed","iterations":6,"tool_calls":5,'
    b'"input_tokens":60,"output_tokens":30,"cost":0.0,"unpriced_calls":0,"seconds":0.00,"error":null,"error_type":null,'
    b'"reference":null}{"question":"","user":"anonymous","session_id":"","assistant":"assistant","model":"anthropic:'
    b'claude-","protocol":"native","settings":{"limits":{"iterations":5,"tool_calls":50},"planner":false,"reflection":'
    b'false},"forked_from":null}{"step":1,"call_id":"call_1","result":{"success":true,"output":"","error":null,"data":'
    b'null,"metadata":{},"requires_confirmation":false,"cached":false,"duration_ms":0.0}}{"purpose":"decide","step":1,'
    b'"model":"openai:gpt-","tier":"balanced","message":{"role":"assistant","text":"","thought":"","calls":[{"id":'
    b'"call_1","tool":"","args":{}}],"provider":"","opaque":null},"decision":{"thought":"","calls":[{"id":"call_1",'
    b'"tool":"","args":{}}],"answer":null,"complaint":null},"usage":{"input_tokens":10,"output_tokens":5,'
    b'"cached_tokens":0,"cost":0.0},"stop":"tool_use","latency_ms":0.0,"attempts":1,"block":1}'
)

# Copying a primed state is most of the cost of a small body, and grows with its window.
_small = zlib.compressobj(1, zlib.DEFLATED, -13, 5, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
_large = zlib.compressobj(1, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)


def pack(body: bytes) -> bytes:
    if len(body) < SHORTEST:
        return body
    state = (_small if len(body) < _SMALL else _large).copy()
    return _PACKED + state.compress(body) + state.flush()


def unpack(stored: bytes) -> bytes:
    """The body; raises `ValueError` for what is neither JSON nor packed by `pack`."""
    if stored[:1] != _PACKED:
        return stored
    state = zlib.decompressobj(-15, _DICTIONARY)
    try:
        body = state.decompress(stored[1:], MOST_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not state.eof:
        raise ValueError("it is cut off")
    return body
