"""Whether anything in an image loads the rules and takes the records, and whether it starts at boot.

Read are the links that systemd, OpenRC, runit and sysv follow at boot, and the presets that a first boot applies
(systemd.unit(5), systemd.preset(5), machine-id(5)); nothing is run.
"""

from __future__ import annotations

from auditlint.core.user_space import Service, UserSpace
from auditlint.io.rooted import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.user_space import State
    from auditlint.io.rooted import RootedTree

_FOLDERS = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")
_UNIT_FOLDERS = (
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
_PRESET_FOLDERS = (
    "/etc/systemd/system-preset",
    "/run/systemd/system-preset",
    "/usr/lib/systemd/system-preset",
    "/lib/systemd/system-preset",
)
_SERVICES = ("auditd", "audit-rules", "augenrules")
"""Units that load rules or take records: auditd and, where the package splits them off, the loaders."""
_OF_WHOLE_SYSTEMS = (
    "/usr/lib/os-release",
    "/etc/os-release",
    "/sbin/init",
    "/bin/sh",
    "/usr/bin/sh",
    "/var/lib/dpkg/status",
    "/lib/apk/db/installed",
)
_SMALL = 1 << 20


def user_space(tree: RootedTree) -> UserSpace:
    """Programs and services of the image."""
    programs = {name: _program(tree, name) for name in ("auditctl", "augenrules", "auditd")}
    services = tuple(service for name in _SERVICES if (service := _service(tree, name)) is not None)
    whole = any(tree.exists(path) for path in _OF_WHOLE_SYSTEMS)
    return UserSpace(programs["auditctl"], programs["augenrules"], programs["auditd"], services, whole)


def _program(tree: RootedTree, name: str) -> str | None:
    return next((f"{folder}/{name}" for folder in _FOLDERS if tree.kind(f"{folder}/{name}") == "regular"), None)


def _service(tree: RootedTree, name: str) -> Service | None:
    """The state of a service under the manager that the image has a file for; None when there is none."""
    unit = f"{name}.service"
    place = next((f"{folder}/{unit}" for folder in _UNIT_FOLDERS if _there(tree, f"{folder}/{unit}")), None)
    if place is not None:
        state, source = _systemd(tree, unit, place)
        return Service(name, state, source.lstrip("/"))
    for script in (f"/etc/init.d/{name}", f"/etc/rc.d/init.d/{name}"):
        if tree.kind(script) == "regular":
            state, source = _runlevels(tree, name, script)
            return Service(name, state, source.lstrip("/"))
    for started in _names(tree, "/etc/init.d"):  # Buildroot runs every S* script of the folder itself
        if started.startswith("S") and started[1:3].isdigit() and started[3:] == name:
            return Service(name, "enabled", f"etc/init.d/{started}")
    if tree.kind(f"/etc/sv/{name}") == "directory":
        for folder in ("/var/service", "/etc/service", "/etc/runit/runsvdir/default", "/etc/runit/runsvdir/current"):
            if _there(tree, f"{folder}/{name}"):
                return Service(name, "enabled", f"{folder}/{name}".lstrip("/"))
        return Service(name, "disabled", f"etc/sv/{name}")
    return None


def _there(tree: RootedTree, path: str) -> bool:
    """A file, or a link that may lead nowhere: what systemd looks at is the name."""
    folder, _, name = path.rpartition("/")
    place = tree.resolve(folder)
    try:
        return place is not None and tree.status(f"{place.rstrip('/')}/{name}") is not None
    except PermissionError:
        return False


def _systemd(tree: RootedTree, unit: str, place: str) -> tuple[State, str]:
    folder, _, name = place.rpartition("/")
    resolved = tree.resolve(folder)
    text = None if resolved is None else tree.link(f"{resolved.rstrip('/')}/{name}")
    if text == "/dev/null":
        return "masked", place
    for folder in _UNIT_FOLDERS:
        for wants in _names(tree, folder):
            if wants.endswith((".wants", ".requires")) and _there(tree, f"{folder}/{wants}/{unit}"):
                return "enabled", f"{folder}/{wants}/{unit}"
    if unit != "auditd.service" and (pulled := _pulled_in(tree, unit)) is not None:
        return "enabled", pulled
    preset = _preset(tree, unit)
    return preset if preset is not None else ("disabled", place)


def _pulled_in(tree: RootedTree, unit: str) -> str | None:
    """The unit file of auditd, when it is enabled and names this unit in Wants= or Requires=."""
    place = next((f"{f}/auditd.service" for f in _UNIT_FOLDERS if tree.kind(f"{f}/auditd.service") == "regular"), None)
    if place is None or _systemd(tree, "auditd.service", place)[0] != "enabled":
        return None
    for line in _text(tree, place).split("\n"):
        key, equals, value = line.partition("=")
        if equals and key.strip() in ("Wants", "Requires", "BindsTo") and unit in value.split():
            return place
    return None


def _preset(tree: RootedTree, unit: str) -> tuple[State, str] | None:
    """What the presets make of a unit at the first boot; None when the image has been booted, or has no presets.

    The first line that fits counts, in the order of the names of the files; a file of a name in /etc replaces the
    others of that name.
    """
    from fnmatch import fnmatchcase

    if tree.kind("/etc/machine-id") == "regular" and _text(tree, "/etc/machine-id").strip() != "uninitialized":
        return None
    files: dict[str, str] = {}
    for folder in _PRESET_FOLDERS:
        for name in _names(tree, folder):
            if name.endswith(".preset"):
                files.setdefault(name, f"{folder}/{name}")
    for name in sorted(files):
        for line in _text(tree, files[name]).split("\n"):
            words = line.split()
            if len(words) >= 2 and words[0] in ("enable", "disable") and fnmatchcase(unit, words[1]):
                return ("enabled" if words[0] == "enable" else "disabled"), files[name]
    return None


def _runlevels(tree: RootedTree, name: str, script: str) -> tuple[State, str]:
    """OpenRC: a link in a runlevel; sysv: a start link S.. in rc?.d."""
    if tree.kind("/etc/runlevels") == "directory":
        for level in _names(tree, "/etc/runlevels"):
            if _there(tree, f"/etc/runlevels/{level}/{name}"):
                return "enabled", f"/etc/runlevels/{level}/{name}"
        return "disabled", script
    levels = False
    for above in ("/etc", "/etc/rc.d"):
        for level in ("S", "2", "3", "4", "5"):
            for started in _names(tree, f"{above}/rc{level}.d"):
                levels = True
                if started.startswith("S") and started[3:] == name:
                    return "enabled", f"{above}/rc{level}.d/{started}"
    return ("disabled" if levels else "not known"), script


def _names(tree: RootedTree, path: str) -> tuple[str, ...]:
    try:
        return tree.names(path)
    except Refused:
        return ()


def _text(tree: RootedTree, path: str) -> str:
    try:
        return (tree.read(path, _SMALL) or b"").decode("utf-8", "replace")
    except Refused:
        return ""
