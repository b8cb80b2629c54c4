"""Rule files to measure with: our own, as on a server, any size, the same bytes each time.

usage: rules.py COUNT >FILE
"""

from __future__ import annotations

import sys

_CALLS = (
    "open,openat,creat,truncate,ftruncate", "chmod,fchmod,fchmodat", "chown,fchown,lchown,fchownat", "unlink,unlinkat",
    "rename,renameat", "mount,umount2", "setxattr,lsetxattr,fsetxattr", "adjtimex,settimeofday,clock_settime",
    "init_module,finit_module,delete_module", "sethostname,setdomainname", "execve", "ptrace", "kill,tkill,tgkill",
)  # fmt: skip
_CALLS_32 = tuple(calls for calls in _CALLS if "umount2" not in calls)
_NAMES = ("app", "web", "db", "cache", "mail", "dns", "proxy", "queue", "batch", "build")


def _rule(number: int) -> str:
    name = _NAMES[number % len(_NAMES)]
    key = f"{name}_{number % 37}"
    match number % 10:
        case 0 | 1 | 2:
            return f"-w /etc/{name}/{number}.conf -p wa -k {key}"
        case 3:
            return f"-w /srv/{name}/{number}/ -p rwxa -k {key}"
        case 4 | 5:
            calls = _CALLS[number // 10 % len(_CALLS)]
            who = f"-F auid={1000 + number} -F success={number % 2}"
            return f"-a always,exit -F arch=b64 -S {calls} {who} -k {key}"
        case 6:
            calls = _CALLS_32[number // 10 % len(_CALLS_32)]
            return f"-a always,exit -F arch=b32 -S {calls} -F exit=-EACCES -F auid={1000 + number} -F key={key}"
        case 7 | 8:
            path = f"/usr/lib/{name}/bin/tool{number}"
            return f"-a always,exit -F path={path} -F perm=x -F auid>=1000 -F auid!=unset -k privileged"
    return f"-a never,exit -F arch=b64 -S read,write,futex -F exe=/usr/bin/{name}{number} -F uid={number}"


def generate(count: int) -> bytes:
    """A file with `count` rules, none twice, that loads completely; control lines and comments around them."""
    lines = ["# Rules to measure with", "-D", "-b 8192", "-f 1", "--backlog_wait_time 60000", ""]
    for number in range(count):
        if number % 50 == 0:
            lines.append(f"# part {number // 50}")
        lines.append(_rule(number))
    return "\n".join([*lines, "-e 1", ""]).encode()


def hard(count: int) -> bytes:
    """Rules of which none is implied by another, but each nearly by all: made to be compared all with all."""
    lines = (
        f"-a always,exit -F arch=b64 -S openat -F uid>={2 * count - n} -F euid<{n} -k k" for n in range(1, count + 1)
    )
    return "\n".join([*lines, ""]).encode()


if __name__ == "__main__":
    sys.stdout.buffer.write(generate(int(sys.argv[1])))
