"""Runs one task of a recipe in a folder with BitBake's parser and executor, as bitbake-worker does for each task.

usage: run_task.py RECIPE TASK      the folder is the current one; its layers are the folders named meta-*

The package `bitbake-setup` has BitBake's library without its programs; its server and scheduler are not used.
"""

import sys
import types
from pathlib import Path

for name in ("hashserv", "hashserv.client"):  # client of a server of hashes: left out of the package, not needed here
    sys.modules[name] = types.ModuleType(name)
setattr(sys.modules["hashserv"], "client", sys.modules["hashserv.client"])  # noqa: B010

import bb.build  # noqa: E402
import bb.data  # noqa: E402
import bb.parse  # noqa: E402
import bb.siggen  # noqa: E402

top = Path.cwd()
recipe, task = sys.argv[1:]
data = bb.data.init()
for name, value in {
    "TOPDIR": str(top),
    "BBPATH": ":".join(map(str, sorted(top.glob("meta-*")))),
    "T": str(top / "temp"),
    "PATH": str(top / "hosttools"),  # what HOSTTOOLS names, nothing else
    "PN": "linux-site",
    "BB_SIGNATURE_HANDLER": "noop",
    "__bbclasstype": "recipe",
}.items():
    data.setVar(name, value)
data.setVarFlag("PATH", "export", "1")
bb.parse.siggen = bb.siggen.init(data)
data = bb.parse.handle(str(top / recipe), data)[""]
before, after = (data.getVarFlag(task, flag) or "" for flag in ("prefuncs", "postfuncs"))
try:
    for function in (*before.split(), task, *after.split()):
        bb.build.exec_func(function, data)
except bb.process.ExecutionError as error:
    print(error)
    sys.exit(1)
