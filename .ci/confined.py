#!/usr/bin/python3
"""Runs a program under the system calls that a systemd unit leaves it: confined.py UNIT PROGRAM [ARG...]

For machines where systemd does not run. It takes from the unit what systemd makes into filters that
a server may run into: SystemCallFilter, RestrictAddressFamilies, MemoryDenyWriteExecute, and of
RestrictNamespaces that clone3, whose flags no filter can see, is not there. It needs Debian's
python3-seccomp, and so Debian's Python.
"""

import errno
import os
import re
import socket
import subprocess
import sys

import seccomp

PROT_WRITE, PROT_EXEC = 2, 4


def members(group):
    """The system calls of a group, and of the groups in it."""
    if not group.startswith("@"):
        return {group}
    told = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group], check=True,
                          capture_output=True, text=True).stdout
    names = [line.strip() for line in told.splitlines()[1:] if not line.lstrip().startswith("#")]
    return set().union(*(members(name) for name in names if name))


def allowed(lines):
    """The system calls that are left, line by line, from those of @default on."""
    found = members("@default")
    for line in lines:
        groups = set().union(*(members(group) for group in line.lstrip("~").split()))
        found = found - groups if line.startswith("~") else found | groups
    return found


def confine(unit):
    def lines(key):
        return re.findall(rf"^{key}=(.*)$", unit, re.MULTILINE)

    calls = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    arch = seccomp.Arch()
    names = allowed(lines("SystemCallFilter"))
    families, = lines("RestrictAddressFamilies")
    for family in families.split():
        calls.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, getattr(socket, family)))
    names -= {"socket"}
    if lines("MemoryDenyWriteExecute") == ["yes"]:
        both = PROT_WRITE | PROT_EXEC
        for one in [0, PROT_WRITE, PROT_EXEC]:
            calls.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, both, one))
        for name in ["mprotect", "pkey_mprotect"]:
            calls.add_rule(seccomp.ALLOW, name, seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, 0))
        names -= {"mmap", "mprotect", "pkey_mprotect"}
    if lines("RestrictNamespaces") == ["yes"]:
        calls.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
        names -= {"clone3", "unshare", "setns"}
    for name in sorted(names):
        # Those of other processors have no number here.
        if seccomp.resolve_syscall(arch, name) >= 0:
            calls.add_rule(seccomp.ALLOW, name)
    calls.load()


if __name__ == "__main__":
    with open(sys.argv[1]) as opened:
        confine(opened.read())
    os.execvp(sys.argv[2], sys.argv[2:])
