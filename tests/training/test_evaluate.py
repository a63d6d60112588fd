"""Evaluation: cases over processes, and one report of all of them."""

import argparse
import json
import socketserver
import threading
import time

import pytest
from training.evaluate import CHUNK, STAND_IN, ask_all, jobs_of, read_results, report

from glassloop.evals.run_file import CaseResult
from glassloop.evals.score import Mismatch
from glassloop.extensions.embedded import llama_http
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.extensions.embedded.process import LlamaProcess


def result(case, *, right, tags=("one tool",)):
    problems = () if right else (Mismatch(part="answer", expected="12", got="13"),)
    return CaseResult(
        case=case, run=1, tags=tags, question="?", session_id="s", turn_ids=(), tool=True, arguments=None, answer=right,
        problems=problems, status="completed", decisions=2, readable=2,
    )  # fmt: skip


SUITE = """
name = "few"
assistant = "general"
[[cases]]
id = "{}"
tags = ["{}"]
question = "What?"
answer = {{ any = ["x"] }}
"""


def write_suite(folder, count=9):
    head, case = SUITE.split("[[cases]]")
    cases = [f"[[cases]]{case.format(f'c{number}', 'odd' if number % 2 else 'even')}" for number in range(count)]
    path = folder / "few.toml"
    path.write_text(head + "\n".join(cases).replace("{{", "{"), "utf-8")
    return path


def test_every_case_is_in_one_job_and_a_tag_selects(tmp_path):
    path = write_suite(tmp_path)
    jobs = jobs_of(str(path))
    assert [case for job in jobs for case in job.cases] == [f"c{number}" for number in range(9)]
    assert max(len(job.cases) for job in jobs) == CHUNK
    assert [case for job in jobs_of(f"{path}@odd") for case in job.cases] == ["c1", "c3", "c5", "c7"]


def test_the_results_of_all_jobs_are_read_and_missing_ones_left_out(tmp_path):
    jobs = jobs_of(str(write_suite(tmp_path)))
    asked = []
    given = argparse.Namespace(processes=2, seconds=0.0, out=tmp_path)
    ask_all(jobs, given, lambda job, *_: asked.append(job.label))
    assert sorted(asked) == ["few-0", "few-4", "few-8"]
    assert read_results(jobs, tmp_path) == {}


def test_no_job_is_begun_when_the_time_is_up(tmp_path):
    jobs = jobs_of(str(write_suite(tmp_path, 60)))
    began = time.monotonic()
    ask_all(jobs, argparse.Namespace(processes=1, seconds=0.1, out=tmp_path), lambda *_: time.sleep(0.05))
    assert time.monotonic() - began < 0.6


def test_a_report_has_figures_by_tag_with_intervals_and_the_wrong_cases():
    lines = report([result("a", right=True), result("b", right=False), result("c", right=True, tags=("none",))])
    assert lines[0].startswith("all: all 2/3 (")
    assert "answer 2/3" in lines[0]
    assert lines[1].startswith("one tool: all 1/2")
    assert lines[-1] == "  b: answer"


@pytest.fixture
def server():
    """A server that notes what it is asked and says that it did."""
    asked = []

    class Request(socketserver.StreamRequestHandler):
        def handle(self):
            path, length = self.rfile.readline().split()[1], 0
            while line := self.rfile.readline().strip():
                length = int(line.split(b":")[1]) if line.lower().startswith(b"content-length") else length
            asked.append((path.decode(), json.loads(self.rfile.read(length))))
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n{"done":true}')

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Request) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving.server_address[1], asked
        serving.shutdown()


async def test_a_process_can_use_a_slot_of_a_server_that_others_use(server, tmp_path, monkeypatch):
    port, asked = server
    for name, value in {"PYTHONPATH": str(STAND_IN), "LLAMA_SERVER": str(port), "LLAMA_SLOT": "3"}.items():
        monkeypatch.setenv(name, value)
    weights = tmp_path / "weights.gguf"
    weights.write_bytes(b"GGUF")
    child = LlamaProcess(EmbeddedOptions(weights=weights, conversations=1))
    await child.ensure()
    try:
        body = {"prompt": 'POST /slots/7 "id_slot":5', "id_slot": 0}
        assert await llama_http.call(child.socket, "/completion", body, 10) == {"done": True}
        await llama_http.call(child.socket, "/slots/0?action=save", {"filename": "x"}, 10)
    finally:
        await child.stop()
    assert asked == [("/completion", {**body, "id_slot": 3}), ("/slots/3?action=save", {"filename": "x"})]
