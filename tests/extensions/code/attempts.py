"""Attempts to leave the sandbox. Each prints `ESCAPED` where it got what it wanted, or is seen by whom it reached.

`@name@` are values of the machine. `control`: whether it works without a sandbox and does no harm there, which proves
that it is one; `root` where it takes the administrator for that.
"""

from typing import Literal, NamedTuple

SECRET_FOUND = "grep -q canary-7f3a && echo ESCAPED"


class Attempt(NamedTuple):
    name: str
    line: str
    control: Literal["yes", "root", "no"] = "yes"


def python(code):
    """A program in one line; success is its own to tell."""
    return f"python3 - <<'END'\n{code}\nEND"


def system_call(number, *arguments):
    joined = ", ".join(map(str, arguments))
    return python(
        "import ctypes, platform\n"
        "l = ctypes.CDLL(None, use_errno=True); x = platform.machine() == 'x86_64'\n"
        f"if l.syscall({number}{', ' if joined else ''}{joined}) >= 0: print('ESCAPED')"
    )


def connects(family, address, kind="SOCK_STREAM"):
    """Seen by the server: a datagram is sent whether or not anybody is there."""
    return python(
        f"import socket\ns = socket.socket(socket.{family}, socket.{kind}); s.settimeout(2)\n"
        f"s.connect({address}); s.send(b'x')"
    )


def opens(*paths):
    """To write, which then does not happen."""
    return python(
        f"import os\nfor path in {paths}:\n"
        "    try: os.open(path, os.O_WRONLY); print('ESCAPED')\n"
        "    except OSError as error: print(error)"
    )


WRITES = [
    Attempt("write a new file beside", "echo x > @out@/new && echo ESCAPED"),
    Attempt("overwrite a file", "echo x > @out@/secret && echo ESCAPED"),
    Attempt("append to a file", "echo x >> @out@/secret && echo ESCAPED"),
    Attempt("write by dots", "echo x > ../outside/dots && echo ESCAPED"),
    Attempt("write through a link", "ln -sfn @out@ link; echo x > link/linked && echo ESCAPED"),
    Attempt("write through a hard link", "ln @out@/secret hard && echo x >> hard && echo ESCAPED"),
    Attempt("move a file out", "echo x > m; mv m @out@/moved && echo ESCAPED"),
    Attempt("delete a file", "rm -f @out@/secret && [ ! -e @out@/secret ] && [ -d @out@ ] && echo ESCAPED"),
    Attempt("make a folder", "mkdir @out@/folder && echo ESCAPED"),
    Attempt("truncate a file", "truncate -s 0 @out@/secret && echo ESCAPED"),
    Attempt("change a mode", "chmod 777 @out@/secret && echo ESCAPED"),
    Attempt("change times", "touch -d 2001-01-01 @out@/secret && echo ESCAPED"),
    Attempt("move the workspace away", "mv @ws@ @ws@-away && mv @ws@-away @ws@ && echo ESCAPED"),
    Attempt("write to /etc", "echo > /etc/glassloop-attempt && rm /etc/glassloop-attempt && echo ESCAPED", "root"),
    Attempt("write a program", "echo > /usr/bin/glassloop-t && rm /usr/bin/glassloop-t && echo ESCAPED", "root"),
    Attempt("write by the root of a process", "echo x > /proc/self/root@out@/byproc && echo ESCAPED"),
    Attempt("write by the root of the first", "echo x > /proc/1/root@out@/byfirst && echo ESCAPED", "no"),
    Attempt("leave by an inherited folder", python(
        "import os\n"
        "for n in range(3, 200):\n"
        "    try: os.open('../outside/secret', os.O_RDONLY, dir_fd=n); print('ESCAPED')\n"
        "    except OSError: pass"
    ), "no"),
]  # fmt: skip

READS = [
    Attempt("read a key", f"cat @home@/.ssh/id_ed25519 | {SECRET_FOUND}"),
    Attempt("read cloud credentials", f"cat @home@/.aws/credentials | {SECRET_FOUND}"),
    Attempt("read a token", f"cat @home@/.config/gh/hosts.yml | {SECRET_FOUND}"),
    Attempt("read .netrc", f"cat @home@/.netrc | {SECRET_FOUND}"),
    Attempt("read a registry's login", f"cat @home@/.docker/config.json | {SECRET_FOUND}"),
    Attempt("read Glassloop's home", f"cat @own@/key | {SECRET_FOUND}"),
    Attempt("list Glassloop's home", "ls -A @own@ | grep -q key && echo ESCAPED"),
    Attempt("read Glassloop's settings", f"cat glassloop.toml | {SECRET_FOUND}"),
    Attempt("read Glassloop's .env", f"cat .env | {SECRET_FOUND}"),
    Attempt("read a file beside", f"cat @out@/secret | {SECRET_FOUND}"),
    Attempt("read through a link", f"ln -sfn @out@/secret l2; cat l2 | {SECRET_FOUND}"),
    Attempt("read the administrator's", "head -c1 /etc/shadow | grep -q . && echo ESCAPED", "root"),
    Attempt("read the variables of a process", f"cat /proc/@victim@/environ | tr '\\0' '\\n' | {SECRET_FOUND}"),
    Attempt("read our own variables", f"env | {SECRET_FOUND}", "no"),
    Attempt("see what others run", "cat /proc/@victim@/cmdline | grep -q sleep && echo ESCAPED"),
    Attempt("read a process's memory map", "head -c1 /proc/@victim@/maps | grep -q . && echo ESCAPED"),
    Attempt("read a process's folder", f"cat /proc/@victim@/root@out@/secret | {SECRET_FOUND}"),
    Attempt("read shared memory", f"cat @shm@ | {SECRET_FOUND}"),
]

NETWORK = [
    Attempt("connect to a local server", connects("AF_INET", "('127.0.0.1', @tcp@)")),
    Attempt("send to a local server", connects("AF_INET", "('127.0.0.1', @udp@)", "SOCK_DGRAM")),
    Attempt("connect by version 6", connects("AF_INET6", "('::1', @tcp6@)")),
    Attempt("connect to a socket by name", connects("AF_UNIX", "'@out@/s'")),
    Attempt("connect to one in the workspace", connects("AF_UNIX", "'@ws@/s'")),
    Attempt("connect to an abstract socket", connects("AF_UNIX", "'\\0@name@'")),
    Attempt("send to the internet", connects("AF_INET", "('192.0.2.1', 53)", "SOCK_DGRAM"), "no"),
    Attempt("reach the host of this machine", python("import socket; socket.socket(40, 1); print('ESCAPED')"), "no"),
    Attempt("use the kernel's ciphers", python("import socket; socket.socket(38, 5); print('ESCAPED')"), "no"),
    Attempt("listen to all packets", python("import socket; socket.socket(17, 3); print('ESCAPED')"), "root"),
]

PROCESSES = [
    Attempt("look for a process", "kill -0 @victim@ && echo ESCAPED"),
    Attempt("look for the server", "kill -0 @pid@ && echo ESCAPED"),
    Attempt("stop a process", "kill -STOP @victim@ && kill -CONT @victim@ && echo ESCAPED"),
    Attempt("trace a process", system_call("101 if x else 117", 16, "@victim@", 0, 0), "root"),
    Attempt("read a process's memory", python(
        "import ctypes\n"
        "with open('/proc/@victim@/mem', 'rb') as f: print('ESCAPED')"
    ), "root"),
    Attempt("limit a process", "prlimit --pid @victim@ --core=0:0 && echo ESCAPED", "root"),
    Attempt("slow a process down", "renice -n 1 -p @victim@ && echo ESCAPED"),
    Attempt("move a process to a core", "taskset -p 1 @victim@ && echo ESCAPED"),
    Attempt("have a process killed first", "echo 500 > /proc/@victim@/oom_score_adj && echo ESCAPED"),
    Attempt("open a process", system_call(434, "@victim@", 0)),
    Attempt("enter a process's namespaces", "nsenter -t @victim@ -m true && echo ESCAPED", "root"),
    Attempt("be more important", "nice -n -5 true 2>&1 | grep -q . || echo ESCAPED", "root"),
    Attempt("raise a limit", "ulimit -Hn 900000 && echo ESCAPED", "no"),
]  # fmt: skip

REPOSITORY = [
    Attempt("write a hook", "echo x > .git/hooks/pre-commit && echo ESCAPED"),
    Attempt("write git's settings", "git config core.fsmonitor ./evil && echo ESCAPED"),
    Attempt("put another in its place", "mv .git old && mkdir .git && echo ESCAPED", "no"),
    Attempt("delete it", "rm -rf .git; [ ! -e .git/HEAD ] && echo ESCAPED", "no"),
    Attempt("commit", "git -c user.name=a -c user.email=a@b commit --allow-empty -m x && echo ESCAPED"),
    Attempt("write a hook of one inside", "echo x > sub/.git/hooks/pre-commit && echo ESCAPED"),
    Attempt("move what has one inside", "mv sub sub2 && echo x > sub2/.git/hooks/a && echo ESCAPED; mv sub2 sub", "no"),
    Attempt("lead a work tree elsewhere", "echo gitdir: /tmp > tree/.git && echo ESCAPED", "no"),
    Attempt("write by another path", "echo x > /proc/self/cwd/.git/hooks/b && echo ESCAPED", "no"),
    Attempt("make it writable again", "mount -o remount,rw .git; umount .git; echo x > .git/c && echo ESCAPED", "no"),
]

RIGHTS = [
    Attempt("make a program set-user-id", "cp /bin/true suid && chmod u+s suid; [ -u suid ] && echo ESCAPED"),
    Attempt("make one at once", python(
        "import os\n"
        "os.umask(0); os.close(os.open('suid2', os.O_CREAT | os.O_WRONLY, 0o4755))\n"
        "if os.stat('suid2').st_mode & 0o4000: print('ESCAPED')"
    )),
    Attempt("gain rights by a program", "grep -q 'NoNewPrivs:.*0' /proc/self/status && echo ESCAPED"),
    Attempt("become another user", python("import os; os.setuid(4321); print('ESCAPED')"), "root"),
    Attempt("have capabilities", "grep -q 'CapEff:.*[1-9a-f]' /proc/self/status && echo ESCAPED", "root"),
    Attempt("make a user namespace", "unshare -Ur true && echo ESCAPED"),
    Attempt("make one another way", system_call("56 if x else 220", "0x10000000 | 17", 0, 0, 0, 0), "no"),
    Attempt("mount", "mkdir -p mp; mount -t tmpfs none mp && umount mp && echo ESCAPED", "root"),
    Attempt("change the root", "chroot . true; chroot / true && echo ESCAPED", "root"),
    Attempt("make a device", "mknod dev b 8 0 && rm dev && echo ESCAPED", "root"),
    Attempt("read a device", "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem; do head -c1 $d; done | grep -q . "
                             "&& echo ESCAPED", "no"),
    Attempt("write the kernel's settings", "f=/proc/sys/vm/stat_interval; cat $f > n; cat n > $f && echo ESCAPED",
            "root"),
    Attempt("have the kernel run a program", opens("/proc/sys/kernel/core_pattern"), "root"),
    Attempt("leave its control group", opens("/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs"),
            "root"),
    Attempt("use the keyring", system_call("250 if x else 219", 0, -4, 1)),
    Attempt("type into a terminal", python(
        "import fcntl, pty\n"
        "a, b = pty.openpty(); fcntl.ioctl(b, 0x5412, b'x'); print('ESCAPED')"
    ), "no"),
    Attempt("load a program into the kernel", system_call("321 if x else 280", 5, 0, 0) + "; true", "no"),
    Attempt("measure the kernel", system_call("298 if x else 241", 0, 0, -1, -1, 0), "no"),
    Attempt("use rings", python(
        "import ctypes\n"
        "b = ctypes.create_string_buffer(256); l = ctypes.CDLL(None)\n"
        "if l.syscall(425, 4, b) >= 0: print('ESCAPED')"
    )),
    Attempt("open by handle", system_call("304 if x else 265", -100, 0, 0), "no"),
    Attempt("change the clock", system_call("227 if x else 112", 0, 0), "no"),
]  # fmt: skip

RESOURCES = [
    Attempt("have too many processes", python(
        "import os, time\n"
        "n = 0\n"
        "try:\n"
        "    while n < 400:\n"
        "        if os.fork() == 0: time.sleep(20); os._exit(0)\n"
        "        n += 1\n"
        "except OSError: pass\n"
        "print('ESCAPED' if n >= 300 else n)"
    ), "no"),
    Attempt("fill /tmp", "dd if=/dev/zero of=$TMPDIR/f bs=1M count=64 && [ $(stat -c %s $TMPDIR/f) -gt 60000000 ] "
                         "&& echo ESCAPED", "no"),
    Attempt("fill shared memory", "dd if=/dev/zero of=/dev/shm/f bs=1M count=64 && echo ESCAPED", "no"),
    Attempt("fill /dev", "dd if=/dev/zero of=/dev/f bs=1M count=1 && echo ESCAPED", "no"),
    Attempt("fill the root", "dd if=/dev/zero of=/f bs=1M count=1 && echo ESCAPED", "no"),
    Attempt("write a large file", "dd if=/dev/zero of=big bs=1M count=64; s=$(stat -c %s big); rm big; "
                                  "[ $s -gt 60000000 ] && echo ESCAPED", "no"),
    Attempt("take all memory", python("b = b'x' * 900_000_000; print('ESCAPED')"), "no"),
]  # fmt: skip

ATTEMPTS = [*WRITES, *READS, *NETWORK, *PROCESSES, *REPOSITORY, *RIGHTS, *RESOURCES]
