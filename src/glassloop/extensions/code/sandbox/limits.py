"""Limits of one command, whatever holds it."""

import msgspec

MB = 1_000_000


class SandboxLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one command and all it starts may use. `memory` is for all of them where control groups can be used, else
    for each; `free_disk` stays free on the disk of the workspace, or a tenth of it where that is less; without
    `control_groups` none are used though they could be."""

    processes: int = 512
    memory: int = 4_000 * MB
    file_size: int = 2_000 * MB
    temporary: int = 512 * MB
    open_files: int = 4_096
    free_disk: int = 2_000 * MB
    nice: int = 10
    control_groups: bool = True
