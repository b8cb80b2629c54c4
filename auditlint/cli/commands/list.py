"""`auditlint list`: every check with code, name, severity, fix levels and summary."""

from __future__ import annotations

import sys

from auditlint.cli.options import make_parser
from auditlint.lint.registry import all_checks


def run(argv: list[str]) -> int:
    """Print the table of checks; always 0."""
    parser = make_parser("list", "List all checks, sorted by code.", "%(prog)s [OPTION]...")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="format of the list (default: text)")
    parser.add_argument("--profiles", action="store_true", help="list the profiles of check --profile instead")
    parser.add_argument("--targets", action="store_true", help="the releases that --target names instead")
    words = parser.parse_args(argv)
    if words.profiles:
        return _profiles(words.format)
    if words.targets:
        return _targets(words.format)
    checks = all_checks()
    if words.format == "json":
        import json

        records = [
            {
                "code": check.code,
                "name": check.name,
                "severity": check.severity,
                "fix": check.fix,
                "fix_levels": check.fixes,
                "pedantic": check.pedantic,
                "since": check.since,
                "summary": check.summary,
            }
            for check in checks
        ]
        sys.stdout.write(json.dumps(records, ensure_ascii=False, indent=1) + "\n")
        return 0
    table = [("code", "name", "severity", "fix", "what")] + [
        (
            check.code,
            check.name,
            check.severity + (" (pedantic)" if check.pedantic else ""),
            " or ".join(check.fixes) or "-",
            check.summary,
        )
        for check in checks
    ]
    widths = [max(len(row[column]) for row in table) for column in range(4)]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        sys.stdout.write("  ".join([*cells, row[4]]).rstrip() + "\n")
    return 0


def _profiles(form: str) -> int:
    """Print the profiles with the number of their requirements."""
    from auditlint.analysis import profiles

    found = [profiles.load(name) for name in profiles.names()]
    if form == "json":
        import json

        records = [
            {"name": each.name, "title": each.title, "source": each.source, "requirements": len(each.requirements)}
            for each in found
        ]
        sys.stdout.write(json.dumps(records, ensure_ascii=False, indent=1) + "\n")
        return 0
    width = max(len(each.name) for each in found)
    for each in found:
        sys.stdout.write(f"{each.name:{width}}  {len(each.requirements):3} requirements  {each.title}\n")
    return 0


def _targets(form: str) -> int:
    """Print the releases of distributions with what is judged for each; what is not known has a dash."""
    from auditlint.core.targets import releases

    if form == "json":
        import json

        records = [
            {
                "name": release.name,
                "kernel": release.kernel,
                "auditctl": release.auditctl,
                "lsm": release.lsm,
                "uid_min": release.uid_min,
                "awk": release.awk,
                "package": release.package,
                "accounts": list(release.accounts),
                "auditd_enabled": release.auditd_enabled,
                "sources": list(release.sources),
            }
            for release in releases().values()
        ]
        sys.stdout.write(json.dumps(records, ensure_ascii=False, indent=1) + "\n")
        return 0
    table = [("target", "kernel", "auditctl", "lsm", "uid_min", "awk")]
    for release in releases().values():
        cells = (release.name, release.kernel, release.auditctl, release.lsm, release.uid_min, release.awk)
        table.append(tuple("-" if cell is None else str(cell) for cell in cells))  # type: ignore[arg-type]
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        sys.stdout.write(line.rstrip() + "\n")
    return 0
