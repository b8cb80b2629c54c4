"""The subjects that case files about configurations and command lines describe."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auditlint.bootargs.command_line import read_cmdline
from auditlint.context.cmdline import CmdlineContext
from auditlint.context.config import ConfigContext, config_context
from auditlint.context.rules import RulesContext
from auditlint.context.system import SystemContext
from auditlint.core.facts import Facts
from auditlint.core.settings import Settings
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.io.image import Image
from auditlint.load.program import load_directory


def subject_from_case(
    kind: str, sources: Sequence[Source], body: Mapping[str, Any], settings: Settings, facts: Facts
) -> ConfigContext | CmdlineContext | SystemContext:
    """The subject that a case file describes: `kind` is config, cmdline or together, `body` its table (`target`,
    `arch`, `fragment`)."""

    target = Target(**body.get("target", {}))
    if kind == "cmdline":
        lines = [line for source in sources for line in read_cmdline(source)]
        return CmdlineContext(lines, target.kernel, target.machine, settings, bool(body.get("rules_present")))
    if kind == "together":
        return together_from_case(sources, body, settings, facts)

    return config_context(
        sources,
        settings,
        kernel=body.get("target", {}).get("kernel"),
        arch=body.get("arch"),
        machine=body.get("target", {}).get("machine"),
        fragment=body.get("fragment"),
    )


def together_from_case(
    sources: Sequence[Source], body: Mapping[str, Any], settings: Settings, facts: Facts
) -> SystemContext:
    """The subject that a case file describes: files `config`, `cmdline`, `*.rules`; rules under `new/` are a second
    set. Files under `image/` are the image below --root, with its rules."""

    inside = [source for source in sources if source.path.startswith("image/")]
    if inside:
        return system_from_image(inside, body, settings)
    target = Target(**body.get("target", {}))
    named = {source.path: source for source in sources}
    config = None
    if "config" in named:
        config = config_context(
            [named["config"]], settings, kernel=target.kernel, machine=target.machine, fragment=body.get("fragment")
        )
    cmdlines = []
    if "cmdline" in named:
        cmdlines.append(CmdlineContext(read_cmdline(named["cmdline"]), target.kernel, target.machine, settings))
    sets: list[list[Source]] = [[], []]
    for source in sources:
        if source.path.endswith(".rules"):
            sets[source.path.startswith("new/")].append(source)
    programs = [load_directory(each, target, facts) for each in sets if each]
    return SystemContext(config, cmdlines, [RulesContext(each, settings) for each in programs], target, facts, settings)


def system_from_image(sources: Sequence[Source], body: Mapping[str, Any], settings: Settings) -> SystemContext:
    """An image with these files; one whose text is `-> PATH` is a symbolic link."""
    target = Target(**body.get("target", {}))
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            path = Path(folder, source.path)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = source.data.decode()
            if text.startswith("-> "):
                path.symlink_to(text[3:].strip())
            else:
                path.write_bytes(source.data)
        image = Image(f"{folder}/image")
        image.tree.host = "image"  # how places are shown
        installed = image.rules(target.auditctl)
        boot, user_space = image.boot, image.user_space
        rules = []
        if installed is not None:
            program = load_directory(installed.sources, target, image.facts)
            rules.append(RulesContext(program, settings))
        programs = SystemContext(None, (), (), target, image.facts, settings).programs("loads")
    facts = Facts(paths_missing=frozenset() if programs else _Every(), paths_complete=True)
    return SystemContext(None, (), rules, target, facts, settings, boot, user_space)


class _Every:
    def __contains__(self, path: object) -> bool:
        return True
