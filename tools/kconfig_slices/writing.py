"""A slice as text: what is equal for several architectures is written once."""

from __future__ import annotations

from typing import Any

from tools.kconfig_slices.expressions import Y, show


def text_of(name: Any, symbol: Any, needed: Any) -> str:
    lines = []
    for d in symbol["defs"]:
        lines.append(f"config {name}")
        prompt = "" if d["prompt"] is None else f' "{name}"' + ("" if d["prompt"] == Y else f" if {show(d['prompt'])}")
        lines.append(f"\t{symbol['type']}{prompt}")
        if name == "MODULES":
            lines.append("\toption modules")
        if symbol.get("allnoconfig_y"):
            lines.append("\toption allnoconfig_y")
        if d["dep"] != Y:
            lines.append(f"\tdepends on {show(d['dep'])}")
        for word, pairs in (("default", d["defaults"]), ("select", d["selects"]), ("imply", d["implies"])):
            for what, guard in pairs:
                if word != "default" and what not in needed:
                    continue
                shown = what if isinstance(what, str) else show(what)
                lines.append(f"\t{word} {shown}" + ("" if guard == Y else f" if {show(guard)}"))
    return "\n".join(lines)


def choice_text(choice: Any, symbols: Any) -> str:
    lines = [
        "choice",
        f'\t{choice["type"]} "choice"' + ("" if choice["prompt"] == Y else f" if {show(choice['prompt'])}"),
    ]
    if choice["optional"]:
        lines.append("\toptional")
    for member, guard in choice["defaults"]:
        lines.append(f"\tdefault {member}" + ("" if guard == Y else f" if {show(guard)}"))
    lines += [text_of(name, symbols[name], symbols.keys()) for name in choice["members"] if name in symbols]
    return "\n".join([*lines, "endchoice"])


def write(line: Any, source: Any, facts: Any, out: Any) -> None:
    """`facts`: {arch: (symbols, choices)}. Blocks that are equal for several architectures are written once."""
    blocks: dict[Any, Any] = {}
    for arch, (symbols, choices) in facts.items():
        chosen = {member for choice in choices for member in choice["members"]}
        texts = [text_of(name, s, symbols.keys()) for name, s in symbols.items() if name not in chosen]
        texts += [choice_text(choice, symbols) for choice in choices]
        for text in texts:
            blocks.setdefault(text, []).append(arch)
    sections: dict[Any, Any] = {}
    for text, arches in blocks.items():
        sections.setdefault(tuple(arches), []).append(text)
    everywhere = tuple(facts)
    lines = [
        f"# Kconfig slice of Linux {line}: what decides the recorded symbols. Written by tools/kconfig_slices.",
        f"# Facts from {source}.",
        "# A line `#@ ARCH...` starts what holds for these architectures, `#@ *` what holds for all.",
        "#! " + " ".join(facts),
    ]
    for arches, texts in sorted(sections.items(), key=lambda item: (-len(item[0]), item[0])):
        lines.append("#@ " + ("*" if arches == everywhere else " ".join(arches)))
        lines.extend(texts)
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
