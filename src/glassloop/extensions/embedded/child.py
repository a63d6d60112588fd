"""Child process that holds the weights: llama.cpp's own server on a private socket, and nothing else.

Started by `process`. Reads its settings as one line of JSON from standard input, answers there with one line when it is
ready, and ends when standard input closes or its parent is gone, whatever the reason.
"""

import importlib
import json
import os
import select
import shutil
import sys
import threading
from typing import Any, Final

POLL_S: Final = 1.0
_MAX_LINE_BYTES: Final = 100_000


def main() -> None:
    """Loads, says so, serves until nobody wants it any more."""
    parent = os.getppid()
    # Whatever a library prints goes to the log: the parent reads one line of ours and no more.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    told: dict[str, Any] = json.loads(sys.stdin.buffer.readline(_MAX_LINE_BYTES))
    threading.Thread(target=_end_with_parent, args=(parent, told["folder"]), daemon=True).start()
    try:
        server = _serve(told)
        address = f"unix://{told['socket']}"
        if server.listening_address != address:
            raise RuntimeError(f"it listens on {server.listening_address!r} instead of {address!r}")
        os.chmod(told["socket"], 0o600)  # noqa: PTH101
        ready = {"ready": True, "version": importlib.import_module("xllamacpp").__version__}
    except Exception as error:
        ready = {"ready": False, "error": f"{type(error).__name__}: {error}"[:500]}
    answers.write(json.dumps(ready) + "\n")
    answers.flush()
    threading.Event().wait()


def _end_with_parent(parent: int, folder: str) -> None:
    """A forked relative may hold the pipe open after the parent was killed: so its number is looked at as well."""
    while os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], POLL_S)
        if readable and not os.read(0, 4096):
            break
    shutil.rmtree(folder, ignore_errors=True)
    # Not `sys.exit`: destructors of a library in the middle of a computation may wait for it.
    os._exit(0)


def _serve(told: dict[str, Any]) -> Any:
    llama = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = told["weights"]
    if told["adapter"]:
        params.lora_adapters = [llama.CommonAdapterLoraInfo(told["adapter"], 1.0)]
    params.hostnames = [told["socket"]]
    params.n_parallel = told["conversations"]
    params.n_ctx = told["context_tokens"] * told["conversations"]
    params.cpuparams.n_threads = told["threads"]
    params.cpuparams_batch.n_threads = told["threads"]
    # A request is given up between batches: small ones make cancelling quick and cost nothing on a CPU.
    params.n_batch = params.n_ubatch = told["batch"]
    mode = {"map": "MMAP", "lock": "MMAP_MLOCK", "load": "NONE"}[told["memory"]]
    params.load_mode = getattr(llama.llama_load_mode, f"LLAMA_LOAD_MODE_{mode}")
    kind = getattr(llama.ggml_type, f"GGML_TYPE_{told['cache_type'].upper()}")
    params.cache_type_k = params.cache_type_v = kind
    if told["states"]:
        params.slot_save_path = told["states"].rstrip("/") + "/"
    # Which conversation is kept where is decided by the parent, so nothing is moved behind its back.
    params.cache_ram_mib = 0
    params.cache_idle_slots = False
    params.ctx_shift = False
    params.ui = False
    params.verbosity = 1
    return llama.Server(params)


if __name__ == "__main__":
    main()
