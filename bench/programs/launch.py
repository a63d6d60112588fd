"""Runs a program of the comparison in the venv it was made for: `python launch.py PROGRAM [PORT]`.

With a port the program is a web app, and is served there. OpenAI Agents is told to speak Chat Completions, which all
four can, and to send no traces.
"""

import importlib.util
import runpy
import sys

if __name__ == "__main__":
    program, port = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if importlib.util.find_spec("agents"):
        import agents

        agents.set_default_openai_api("chat_completions")
        agents.set_tracing_disabled(True)
    names = runpy.run_path(program, run_name="__main__")
    if port:
        import uvicorn

        uvicorn.run(names["app"], port=port, log_level="warning")
