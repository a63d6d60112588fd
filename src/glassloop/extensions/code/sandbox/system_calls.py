"""Numbers of the system calls that the filter names, for the two processors it knows.

From the kernel's own tables (`unistd_64.h`, `asm-generic/unistd.h`); those since 5.1 are the same on both.
"""

from collections.abc import Mapping
from typing import Final

COMMON: Final[Mapping[str, int]] = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "openat2": 437,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "open_tree_attr": 467,
    "file_setattr": 469,
    "pidfd_send_signal": 424,
    "pidfd_open": 434,
    "pidfd_getfd": 438,
    "process_madvise": 440,
}

NEWEST: Final = 469
"""Calls after it are not known here, and so not let through."""

X86_64: Final[Mapping[str, int]] = {
    **COMMON,
    **{"mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308, "clone": 56},
    **{"keyctl": 250, "add_key": 248, "request_key": 249, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323},
    **{"kexec_load": 246, "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "delete_module": 176},
    **{"open_by_handle_at": 304, "name_to_handle_at": 303, "acct": 163, "swapon": 167, "swapoff": 168, "reboot": 169},
    **{"quotactl": 179, "syslog": 103, "settimeofday": 164, "clock_settime": 227, "adjtimex": 159, "vhangup": 153},
    **{"clock_adjtime": 305, "iopl": 172, "ioperm": 173, "ioctl": 16, "socket": 41, "socketpair": 53},
    **{"chmod": 90, "fchmod": 91, "fchmodat": 268, "open": 2, "openat": 257, "creat": 85, "mknod": 133, "mknodat": 259},
    **{"chown": 92, "lchown": 94, "fchown": 93, "fchownat": 260, "utime": 132, "utimes": 235, "utimensat": 280},
    **{"futimesat": 261, "setxattr": 188, "lsetxattr": 189, "removexattr": 197, "lremovexattr": 198},
    **{"fsetxattr": 190, "fremovexattr": 199, "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129},
    **{"rt_tgsigqueueinfo": 297, "sethostname": 170, "setdomainname": 171, "mq_open": 240, "shmget": 29},
    **{"msgget": 68, "semget": 64, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311},
    **{"prlimit64": 302, "setpriority": 141, "ioprio_set": 251, "sched_setaffinity": 203, "sched_setattr": 314},
    **{"sched_setscheduler": 144, "sched_setparam": 142, "migrate_pages": 256, "move_pages": 279},
}

AARCH64: Final[Mapping[str, int]] = {
    **COMMON,
    **{"mount": 40, "umount2": 39, "pivot_root": 41, "unshare": 97, "setns": 268, "clone": 220},
    **{"keyctl": 219, "add_key": 217, "request_key": 218, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282},
    **{"kexec_load": 104, "kexec_file_load": 294, "init_module": 105, "finit_module": 273, "delete_module": 106},
    **{"open_by_handle_at": 265, "name_to_handle_at": 264, "acct": 89, "swapon": 224, "swapoff": 225, "reboot": 142},
    **{"quotactl": 60, "syslog": 116, "settimeofday": 170, "clock_settime": 112, "adjtimex": 171, "vhangup": 58},
    **{"clock_adjtime": 266, "ioctl": 29, "socket": 198, "socketpair": 199},
    **{"fchmod": 52, "fchmodat": 53, "openat": 56, "mknodat": 33, "fchown": 55, "fchownat": 54, "utimensat": 88},
    **{"setxattr": 5, "lsetxattr": 6, "removexattr": 14, "lremovexattr": 15, "fsetxattr": 7, "fremovexattr": 16},
    **{"kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240},
    **{"sethostname": 161, "setdomainname": 162, "mq_open": 180, "shmget": 194, "msgget": 186, "semget": 190},
    **{"ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271},
    **{"prlimit64": 261, "setpriority": 140, "ioprio_set": 30, "sched_setaffinity": 122, "sched_setattr": 274},
    **{"sched_setscheduler": 119, "sched_setparam": 118, "migrate_pages": 238, "move_pages": 239},
}

AUDIT_ARCH: Final[Mapping[str, tuple[int, Mapping[str, int]]]] = {
    "x86_64": (0xC000003E, X86_64),
    "aarch64": (0xC00000B7, AARCH64),
}
"""By `platform.machine()`: how the kernel names the processor to a filter, and its calls."""
