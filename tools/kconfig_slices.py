"""Writes `rulesets/kconfig/<line>.kconfig`: the Kconfig facts behind the recorded symbols of one kernel line.

    python tools/kconfig_slices.py --line 6.6 --tree DIR                              from an unpacked kernel tree
    python tools/kconfig_slices.py --line 7.3 --facts cone-7.3.json.gz [--tree DIR]   from a table of definitions; what
                                                              it leaves out comes from the tree of a near release

A slice has the recorded symbols (`rulesets/kconfig/recorded.tsv`) and what they depend on, cut where that no longer
matters: behind a cut a symbol keeps its type, whether it has a prompt, and the value its defaults give. Expressions
are simplified for each architecture (its own symbols are constant there), and what is equal for several architectures
is written once. Only names and relations are taken over; prompts and help texts are not.
"""

from __future__ import annotations

import argparse
import gzip
import heapq
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from auditlint.data import rows  # noqa: E402
from auditlint.kconfig import engine, macros  # noqa: E402
from auditlint.kconfig.tree import Tree, Whole, kinds, variables  # noqa: E402

TOKEN = re.compile(r'\s*(<choice[^>]*>|&&|\|\||!=|<=|>=|[!()=<>]|"(?:[^"\\]|\\.)*"|[\w./-]+)')
NUMBER = re.compile(r"-?\d+|0x[0-9a-fA-F]+")
"""An unquoted number is a symbol that is not defined and stands for its name."""
Y, N, M = ("const", "y"), ("const", "n"), ("const", "m")
REACH = 3.0
"""How far from the recorded symbols the cut is. A step to a symbol with a prompt costs 1: a file that wants it says so.
What has no prompt follows from others and costs less, and so does what selects the symbol at hand. Symbols that need
not be exact start with a handicap."""
PROMPT_STEP, PLAIN_STEP, HEAD_START = 1.0, 0.5, 1.0
EXACT = ("audit", "lsm")


# ---- expressions: ("sym", X), ("const", text), ("not", e), ("and", [e]), ("or", [e]), (comparison, a, b)


def parse(text):
    tokens = TOKEN.findall(text)
    at = 0

    def peek():
        return tokens[at] if at < len(tokens) else None

    def take():
        nonlocal at
        at += 1
        return tokens[at - 1]

    def either():
        terms = [both()]
        while peek() == "||":
            take()
            terms.append(both())
        return any_of(terms)

    def both():
        terms = [factor()]
        while peek() == "&&":
            take()
            terms.append(factor())
        return all_of(terms)

    def factor():
        token = take()
        if token == "!":
            return negate(factor())
        if token == "(":
            inner = either()
            assert take() == ")", text
            return inner
        left = atom(token)
        if peek() in ("=", "!=", "<", ">", "<=", ">="):
            operator = take()
            return compare(operator, left, atom(take()))
        return left

    result = either()
    assert at == len(tokens), (text, tokens[at:])
    return result


def atom(token):
    if token[0] == '"':
        return ("const", re.sub(r"\\(.)", r"\1", token[1:-1]))
    if token.startswith("<choice"):
        return Y  # the choice's own condition is written on the choice
    return ("const", token) if token in ("y", "m", "n") else ("sym", token)


def all_of(terms):
    flat = []
    for term in terms:
        for part in term[1] if term[0] == "and" else [term]:
            if part == N:
                return N
            if part != Y and part not in flat:
                flat.append(part)
    if not flat:
        return Y
    return flat[0] if len(flat) == 1 else ("and", flat)


def any_of(terms):
    flat = []
    for term in terms:
        for part in term[1] if term[0] == "or" else [term]:
            if part == Y:
                return Y
            if part != N and part not in flat:
                flat.append(part)
    if not flat:
        return N
    return flat[0] if len(flat) == 1 else ("or", flat)


def negate(term):
    if term == Y:
        return N
    return Y if term == N else ("not", term)


def compare(operator, left, right):
    if left[0] == right[0] == "const" and operator in ("=", "!="):
        return Y if (left[1] == right[1]) == (operator == "=") else N
    return (operator, left, right)


def show(e, inside=False):
    if e[0] == "const":
        return e[1] if e[1] in ("y", "m", "n") else '"' + e[1].replace("\\", "\\\\").replace('"', '\\"') + '"'
    if e[0] == "sym":
        return e[1]
    if e[0] == "not":
        return "!" + (show(e[1]) if e[1][0] == "sym" else f"({show(e[1])})")
    if e[0] in ("and", "or"):
        text = (" && " if e[0] == "and" else " || ").join(show(part, True) for part in e[1])
        return f"({text})" if inside else text
    return f"{show(e[1])} {e[0]} {show(e[2])}"


def names_in(e):
    if e[0] == "sym":
        return {e[1]}
    if e[0] == "const":
        return set()
    parts = e[1] if e[0] in ("and", "or") else e[1:]
    return set().union(*map(names_in, parts))


def replace(e, known):
    """With the symbols of `known` as constants."""
    if e[0] == "sym":
        return ("const", known[e[1]]) if e[1] in known else e
    if e[0] == "const":
        return e
    if e[0] == "not":
        return negate(replace(e[1], known))
    if e[0] == "and":
        return all_of([replace(part, known) for part in e[1]])
    if e[0] == "or":
        return any_of([replace(part, known) for part in e[1]])
    return compare(e[0], replace(e[1], known), replace(e[2], known))


def without(e, dep):
    """`e` without the terms that `dep` already demands."""
    demanded = dep[1] if dep[0] == "and" else [dep]
    parts = e[1] if e[0] == "and" else [e]
    return all_of([part for part in parts if part not in demanded])


# ---- facts of one architecture: {name: {"type", "edge", "defs": [{prompt, dep, defaults, selects, implies}]}}


def definition(prompt, dep, defaults, selects, implies):
    return {
        "prompt": None if prompt is None else without(prompt, dep),
        "dep": dep,
        "defaults": [(value, without(guard, dep)) for value, guard in defaults],
        "selects": [(name, without(guard, dep)) for name, guard in selects],
        "implies": [(name, without(guard, dep)) for name, guard in implies],
    }


def from_table(table, arch):
    def here(entry):
        return entry["arches"] == "all" or arch in entry["arches"]

    def guard(text):
        return parse(text) if text else Y

    symbols = {}
    for name, entries in table["symbols"].items():
        for entry in filter(here, entries):
            symbol = {"type": entry["type"], "edge": entry.get("edge", False)}
            if symbol["edge"]:
                default = entry["default"]
                value = default if entry["type"] in ("bool", "tristate") else (default or "").strip('"')
                given = [] if value in ("n", "", None) else [(("const", value), Y)]
                symbol["defs"] = [definition(Y if entry["prompt"] else None, Y, given, [], [])]
            else:
                symbol["defs"] = [
                    definition(
                        parse(d["prompt_if"]) if "prompt_if" in d else None,
                        guard(d.get("dep")),
                        [(parse(value), guard(condition)) for value, condition in d.get("defaults", ())],
                        [(target, guard(condition)) for target, condition in d.get("selects", ())],
                        [(target, guard(condition)) for target, condition in d.get("implies", ())],
                    )
                    for d in entry["defs"]
                ]
            symbols[name] = symbol
    choices = [
        {
            "type": entry["type"],
            "optional": entry["optional"],
            "members": [name for name in entry["members"] if name in symbols],
            "prompt": parse(entry["defs"][0]["prompt_if"]),
            "defaults": [(value, guard(condition)) for value, condition in entry["defs"][0].get("defaults", ())],
        }
        for entry in filter(here, table["choices"])
    ]
    return symbols, choices


class LenientTree(Tree):
    """For trees that somebody has thinned out: a missing file is an empty one."""

    def glob(self, pattern):
        return super().glob(pattern) or [pattern]

    def text(self, name):
        try:
            return super().text(name)
        except engine.KconfigProblem:
            print(f"  missing: {name}", file=sys.stderr)
            return ""


class TreeFacts:
    """The definitions of a tree for one architecture, looked up as they are asked for."""

    def __init__(self, tree, arch):
        name, srcarch, subarch = kinds(arch)
        self.model = engine.load(
            Whole(tree), tree.top(srcarch), variables(name, srcarch, subarch, tree.release), macros.answer
        )
        self.model.configure([])
        self.order = {name: number for number, name in enumerate(self.model) if self.model.type(name) != "unknown"}
        self.looked = {}
        self.found = {}
        self.choices = [
            {
                "type": choice.type,
                "optional": choice.optional,
                "members": list(choice.members),
                "prompt": parse(str(choice.prompt)) if choice.prompt is not None else Y,
                "defaults": [(member, parse(str(guard))) for member, guard in choice.defaults],
            }
            for choice in self.model.choices()
        ]

    def get(self, name):
        if name not in self.found:
            self.looked[name] = self.model.look(name)
            self.found[name] = facts_of(self.looked[name])
        return self.found[name]

    def sources(self, name):
        """Who selects or implies it, with the names in the condition of that."""
        self.get(name)
        pairs = (*self.looked[name].selected, *self.looked[name].implied)
        return [(source, names_in(parse(str(guard)))) for source, guard in pairs]


class MergedFacts:
    """A table of definitions, and a tree of a near release for what the table leaves out."""

    def __init__(self, symbols, choices, tree):
        self.table, self.tree = symbols, tree
        self.order = {name: number for number, name in enumerate([*tree.order, *(symbols.keys() - tree.order.keys())])}
        mine = {member for choice in choices for member in choice["members"]}
        self.choices = choices + [c for c in tree.choices if not mine & set(c["members"])]
        self.selectors = {}
        for name, symbol in symbols.items():
            for d in symbol["defs"]:
                for target, guard in d["selects"] + d["implies"]:
                    self.selectors.setdefault(target, []).append((name, names_in(guard) | names_in(d["dep"])))

    def whole(self, name):
        return name in self.table and not self.table[name]["edge"]

    def get(self, name):
        if self.whole(name) or name not in self.tree.order:
            more = {"allnoconfig_y": self.tree.get(name)["allnoconfig_y"]} if name in self.tree.order else {}
            return {"value": "n", **more, **self.table[name]}
        return self.tree.get(name)

    def sources(self, name):
        more = self.tree.sources(name) if name in self.tree.order else []
        return self.selectors.get(name, []) + [pair for pair in more if not self.whole(pair[0])]


def facts_of(symbol):
    return {
        "type": symbol.type,
        "edge": False,
        "value": symbol.value,
        "allnoconfig_y": symbol.allnoconfig_y,
        "defs": [
            definition(
                parse(str(place.prompt)) if place.prompt is not None else None,
                parse(str(place.depends)),
                [(parse(str(value)), parse(str(guard))) for value, guard in place.defaults],
                [(target, parse(str(guard))) for target, guard in place.selects],
                [(target, parse(str(guard))) for target, guard in place.implies],
            )
            for place in symbol.places
        ],
    }


# ---- the cut


def mentions(symbol):
    for d in symbol["defs"]:
        for e in (d["prompt"] or Y, d["dep"], *(e for pair in d["defaults"] for e in pair)):
            yield from names_in(e)


def cone(facts, wanted, reach):
    """The symbols within reach of the wanted ones: whole definitions, and the edges around them."""
    choice_of = {member: choice for choice in facts.choices for member in choice["members"]}

    def selecting(name):
        return {source for source, _ in facts.sources(name)} & facts.order.keys()

    def near(name):
        found = set(mentions(facts.get(name)))
        for source, names in facts.sources(name):
            found.add(source)
            found |= names
        choice = choice_of.get(name)
        if choice is not None:
            found |= set(choice["members"]) | names_in(choice["prompt"])
            for _, guard in choice["defaults"]:
                found |= names_in(guard)
        return found & facts.order.keys()

    todo = [(0 if group in EXACT else HEAD_START, name) for name, group in wanted.items() if name in facts.order]
    heapq.heapify(todo)
    whole = {}
    while todo:
        cost, name = heapq.heappop(todo)
        if name in whole:
            continue
        whole[name] = cost
        selectors = selecting(name)
        for other in near(name) - whole.keys():
            prompt = any(d["prompt"] is not None for d in facts.get(other)["defs"])
            step = PROMPT_STEP if prompt and other not in selectors else PLAIN_STEP
            if cost + step <= reach:
                heapq.heappush(todo, (cost + step, other))
    edges = {other for name in whole for other in near(name)} - whole.keys()
    kept = {}
    for name in sorted(whole.keys() | edges, key=facts.order.__getitem__):
        symbol = facts.get(name)
        if name in whole:
            kept[name] = symbol
            continue
        kept[name] = {**symbol, "edge": True, "defs": edge(symbol, whole, whole.keys() | edges)}
    for choice in facts.choices:
        choice["members"] = [name for name in choice["members"] if name in kept]
    return kept, [choice for choice in facts.choices if any(name in whole for name in choice["members"])]


def edge(symbol, whole, kept):
    """The definitions of a symbol at the cut: conditions on what lies behind it count as met."""
    value = symbol["value"]
    plain = symbol["type"] in ("bool", "tristate")
    given = [] if value in ("n", None, '""') else [(("const", value if plain else value.strip('"')), Y)]
    defs = []
    for d in symbol["defs"]:
        terms = d["dep"][1] if d["dep"][0] == "and" else [d["dep"]]
        met = all(names_in(e) <= kept for pair in d["defaults"] for e in pair)
        selects = [(target, guard) for target, guard in d["selects"] if target in whole]
        implies = [(target, guard) for target, guard in d["implies"] if target in whole]
        defs.append(
            definition(
                None if d["prompt"] is None else d["prompt"] if names_in(d["prompt"]) <= kept else Y,
                all_of([term for term in terms if names_in(term) <= kept]),
                d["defaults"] if met else given,
                selects,
                implies,
            )
        )
    return defs


def simplify(symbols, choices, wanted):
    """Constants folded, what nothing needs left out."""
    while True:
        chosen = {member for choice in choices for member in choice["members"]}
        reached = set()
        for symbol in symbols.values():
            for d in symbol["defs"]:
                reached |= {target for target, guard in d["selects"] + d["implies"] if guard != N}
        known = {}
        for name in (
            {name for symbol in symbols.values() for name in mentions(symbol)}
            | {
                name
                for s in symbols.values()
                for d in s["defs"]
                for _, g in d["selects"] + d["implies"]
                for name in names_in(g)
            }
            | {name for c in choices for g in [c["prompt"], *(g for _, g in c["defaults"])] for name in names_in(g)}
        ):
            if name not in symbols and not NUMBER.fullmatch(name):
                known[name] = "n"
        for name, symbol in symbols.items():
            if name in chosen or symbol["type"] not in ("bool", "tristate"):
                continue
            if any(d["prompt"] is not None and d["prompt"] != N and d["dep"] != N for d in symbol["defs"]):
                continue
            live = [(v, all_of([g, d["dep"]])) for d in symbol["defs"] for v, g in d["defaults"]]
            live = [(value, guard) for value, guard in live if guard != N]
            if live and live[0][1] == Y and live[0][0] == Y:
                known[name] = "y"
            elif name not in reached and all(value == N for value, _ in live):
                known[name] = "n"
        before = repr((symbols, choices))
        bare = compared(symbols, choices)
        # A recorded symbol stays visible in conditions: explanations name it.
        known = {n: v for n, v in known.items() if (n in symbols and n not in wanted) or n not in bare | symbols.keys()}
        symbols = {name: fold(symbol, known, symbols) for name, symbol in symbols.items()}
        for choice in choices:
            choice["prompt"] = replace(choice["prompt"], known)
            choice["defaults"] = [(member, replace(guard, known)) for member, guard in choice["defaults"]]
        needed = closure(symbols, choices, wanted)
        symbols = {name: symbol for name, symbol in symbols.items() if name in needed}
        choices = [choice for choice in choices if any(name in symbols for name in choice["members"])]
        if repr((symbols, choices)) == before:
            return symbols, choices


def compared(symbols, choices):
    """Names that stand in a comparison: an undefined one there is its own name, not n."""
    found = set()

    def visit(e):
        if e[0] in ("=", "!=", "<", ">", "<=", ">="):
            found.update(names_in(e))
        elif e[0] == "not":
            visit(e[1])
        elif e[0] in ("and", "or"):
            for part in e[1]:
                visit(part)

    for symbol in symbols.values():
        for d in symbol["defs"]:
            for e in (d["prompt"] or Y, d["dep"], *(e for pair in d["defaults"] for e in pair)):
                visit(e)
            for _, guard in d["selects"] + d["implies"]:
                visit(guard)
    for choice in choices:
        visit(choice["prompt"])
    return found


def fold(symbol, known, symbols):
    defs = []
    for d in symbol["defs"]:
        dep = replace(d["dep"], known)
        prompt = None if d["prompt"] is None else replace(d["prompt"], known)
        folded = definition(
            prompt,
            dep,
            [(replace(v, known), replace(g, known)) for v, g in d["defaults"]],
            [(t, replace(g, known)) for t, g in d["selects"] if t in symbols],
            [(t, replace(g, known)) for t, g in d["implies"] if t in symbols],
        )
        folded["prompt"] = None if folded["prompt"] == N or dep == N else folded["prompt"]
        for kind in ("defaults", "selects", "implies"):
            folded[kind] = [] if dep == N else [(t, g) for t, g in folded[kind] if g != N]
        defs.append(folded)
    live = [d for d in defs if d["dep"] != N]
    return {**symbol, "defs": live or defs[:1]}


def closure(symbols, choices, wanted):
    sources = {}
    for name, symbol in symbols.items():
        for d in symbol["defs"]:
            for target, guard in d["selects"] + d["implies"]:
                sources.setdefault(target, []).append((name, guard))
    choice_of = {member: choice for choice in choices for member in choice["members"]}
    needed, todo = set(), [name for name in wanted if name in symbols]
    while todo:
        name = todo.pop()
        if name in needed:
            continue
        needed.add(name)
        todo.extend(n for n in mentions(symbols[name]) if n in symbols)
        for source, guard in sources.get(name, ()):
            todo.append(source)
            todo.extend(n for n in names_in(guard) if n in symbols)
        choice = choice_of.get(name)
        if choice is not None:
            todo.extend(choice["members"])
            todo.extend(n for n in names_in(choice["prompt"]) if n in symbols)
            todo.extend(n for _, g in choice["defaults"] for n in names_in(g) if n in symbols)
    return needed


# ---- writing


def text_of(name, symbol, needed):
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


def choice_text(choice, symbols):
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


def write(line, source, facts, out):
    """`facts`: {arch: (symbols, choices)}. Blocks that are equal for several architectures are written once."""
    blocks = {}
    for arch, (symbols, choices) in facts.items():
        chosen = {member for choice in choices for member in choice["members"]}
        texts = [text_of(name, s, symbols.keys()) for name, s in symbols.items() if name not in chosen]
        texts += [choice_text(choice, symbols) for choice in choices]
        for text in texts:
            blocks.setdefault(text, []).append(arch)
    sections = {}
    for text, arches in blocks.items():
        sections.setdefault(tuple(arches), []).append(text)
    everywhere = tuple(facts)
    lines = [
        f"# Kconfig slice of Linux {line}: what decides the recorded symbols. Written by tools/kconfig_slices.py.",
        f"# Facts from {source}.",
        "# A line `#@ ARCH...` starts what holds for these architectures, `#@ *` what holds for all.",
        "#! " + " ".join(facts),
    ]
    for arches, texts in sorted(sections.items(), key=lambda item: (-len(item[0]), item[0])):
        lines.append("#@ " + ("*" if arches == everywhere else " ".join(arches)))
        lines.extend(texts)
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def kinds_of(tree, table):
    """The names of architectures that the table lists, or the tree has."""
    if table:
        yield from table["arches"]
        return
    for folder in tree.architectures():
        place = Path(tree.root, "arch", folder, "Kconfig")
        if not place.is_file():
            continue
        names = [row[0] for row in rows("kconfig/architectures.tsv") if row[2] == folder] or [folder]
        for name in names:
            if name not in ("parisc64", "sh64") or name in place.read_text(encoding="utf-8", errors="replace"):
                yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--line", required=True)
    parser.add_argument("--tree")
    parser.add_argument("--source", help="what the header says the facts are from")
    parser.add_argument("--facts")
    parser.add_argument("--lenient", action="store_true", help="missing Kconfig files of the tree are empty")
    parser.add_argument("--reach", type=float, default=REACH)
    parser.add_argument("--only", nargs="*", help="only these architectures")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    wanted = dict(rows("kconfig/recorded.tsv"))
    table = None
    if options.facts:
        with gzip.open(options.facts, "rt", encoding="utf-8") as file:
            table = json.load(file)
    tree = (LenientTree if options.lenient else Tree)(options.tree) if options.tree else None
    facts = {}
    for arch in kinds_of(tree, table):
        if options.only and arch not in options.only:
            continue
        symbols, choices = from_table(table, arch) if table else ({}, [])
        if tree is not None:
            try:
                found = TreeFacts(tree, arch)
            except engine.KconfigProblem as problem:
                print(f"  {arch}: {problem}", file=sys.stderr)
                continue
            symbols, choices = cone(MergedFacts(symbols, choices, found) if table else found, wanted, options.reach)
        facts[arch] = simplify(symbols, choices, wanted)
    source = options.source or (Path(options.facts).name if table else f"a tree of Linux {tree.release}")
    out = options.output or ROOT / "rulesets" / "kconfig" / f"{options.line}.kconfig"
    out.parent.mkdir(parents=True, exist_ok=True)
    write(options.line, source, facts, out)
    print(f"{out.name}: {len(facts)} architectures, {out.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
