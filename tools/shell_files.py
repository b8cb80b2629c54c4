"""Completions for bash, zsh and fish, and man pages, from the option parsers of the commands: generated when a package
is built, so that they never differ from --help."""

from __future__ import annotations

import argparse
from contextlib import suppress
from importlib import import_module
from typing import Any
from unittest import mock

WHAT = "static advisor and linter for Linux audit rules, kernel configurations and command lines"


class _Captured(Exception):
    pass


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, as the command makes it."""
    from auditlint.cli.main import COMMANDS

    found: dict[Any, Any] = {}

    def stop(parser: argparse.ArgumentParser, *_args: object, **_more: object) -> None:
        found[command] = parser
        raise _Captured

    with mock.patch.object(argparse.ArgumentParser, "parse_args", stop):
        for command in COMMANDS:
            with suppress(_Captured):
                import_module(f"auditlint.cli.commands.{command}").run([])
    return found


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    text = parser._get_formatter()._expand_help(action) if action.help else ""
    return " ".join(text.split())


def bash() -> str:
    found = parsers()
    names = " ".join(found)
    lines = [
        "# bash completion for auditlint",
        "_auditlint() {",
        '    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=check words=""',
        f"    case ${{COMP_WORDS[1]}} in {'|'.join(found)}) command=${{COMP_WORDS[1]}} ;; esac",
        '    case "$command $prev" in',
    ]
    for name, parser in found.items():
        for action in _options(parser):
            if action.choices:
                heads = "|".join(f'"{name} {option}"' for option in action.option_strings)
                choices = " ".join(map(str, action.choices))
                lines.append(f'        {heads}) COMPREPLY=($(compgen -W "{choices}" -- "$cur")); return ;;')
    lines += ["    esac", '    case "$command" in']
    for name, parser in found.items():
        words = " ".join(option for action in _options(parser) for option in action.option_strings)
        lines.append(f'        {name}) words="{words}" ;;')
    lines += [
        "    esac",
        '    [[ $COMP_CWORD == 1 ]] && words+=" --version"',
        '    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); return; fi',
        "    local found=()",
        f'    [[ $COMP_CWORD == 1 ]] && found=($(compgen -W "{names}" -- "$cur"))',
        '    mapfile -t COMPREPLY < <(compgen -f -- "$cur")',
        '    COMPREPLY+=("${found[@]}")',
        "}",
        "complete -o filenames -F _auditlint auditlint",
    ]
    return "\n".join(lines) + "\n"


def zsh() -> str:
    from auditlint.cli.main import COMMANDS

    def quoted(text: str) -> str:
        return "'" + text.replace("'", "'\\''") + "'"

    def plain(text: str) -> str:
        return "".join("\\" + char if char in "[]:\\" else char for char in text)

    found = parsers()
    lines = ["#compdef auditlint", "_auditlint() {", "    local -a commands=("]
    lines += [f"        {quoted(plain(name) + ':' + COMMANDS[name])}" for name in found]
    lines += [
        "    )",
        "    if (( CURRENT == 2 )); then _describe command commands; compadd -- --version; fi",
        "    local command=check",
    ]
    lines += [f"    case $words[2] in {'|'.join(found)}) command=$words[2] ;; esac", "    case $command in"]
    for name, parser in found.items():
        lines.append(f"        {name}) _arguments \\")
        for action in _options(parser):
            for option in action.option_strings:
                spec = f"*{option}[{plain(_help(action, parser))}]"
                if action.nargs != 0:
                    values = f"({' '.join(map(str, action.choices))})" if action.choices else "_files"
                    spec += f":{plain(str(action.metavar or action.dest))}:{values}"
                lines.append(f"            {quoted(spec)} \\")
        lines.append("            '*:file:_files' ;;")
    lines += ["    esac", "}", '_auditlint "$@"']
    return "\n".join(lines) + "\n"


def fish() -> str:
    from auditlint.cli.main import COMMANDS

    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    found = parsers()
    lines = ["# fish completion for auditlint"]
    lines.append("complete -c auditlint -n __fish_use_subcommand -l version -d 'show the version'")
    lines += [f"complete -c auditlint -n __fish_use_subcommand -a {n} -d {quoted(COMMANDS[n])}" for n in found]
    for name, parser in found.items():
        for action in _options(parser):
            words = [f"complete -c auditlint -n '__fish_seen_subcommand_from {name}'"]
            for option in action.option_strings:
                words.append(f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}")
            if action.nargs != 0:
                words.append(f"-x -a {quoted(' '.join(map(str, action.choices)))}" if action.choices else "-r")
            lines.append(" ".join([*words, f"-d {quoted(_help(action, parser))}"]))
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


def man() -> dict[str, str]:
    """File name to page: auditlint.1, and one for each command."""
    from auditlint import __version__
    from auditlint.cli.main import COMMANDS

    found = parsers()
    pages = {}
    head = f'.TH "{{}}" "1" "" "auditlint {__version__}" "User Commands"\n.SH NAME\n{{}} \\- {{}}\n.SH SYNOPSIS\n'
    rows = "".join(f".TP\n.B {name}\n{_roff(COMMANDS[name])}\n" for name in found)
    pages["auditlint.1"] = (
        head.format("AUDITLINT", "auditlint", _roff(WHAT))
        + f".B auditlint\n[COMMAND] [OPTION]... [PATH|\\-]...\n.SH COMMANDS\nThe default is check.\n{rows}"
        + ".SH EXIT STATUS\n0 nothing found, 1 findings, 2 wrong use or unreadable input.\n.SH SEE ALSO\n"
        + ", ".join(f".BR auditlint\\-{name} (1)".removeprefix(".BR ").replace(" (1)", "(1)") for name in found)
        + "\n"
    )
    for name, parser in found.items():
        usage = _roff(" ".join(parser.format_usage().removeprefix("usage: ").split()))
        text = head.format(f"AUDITLINT\\-{name.upper()}", f"auditlint\\-{name}", _roff(COMMANDS[name])) + usage + "\n"
        text += f".SH DESCRIPTION\n{_roff(parser.description or '')}\n.SH OPTIONS\n"
        for action in parser._actions:
            words = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            if action.option_strings and action.nargs != 0:
                words += " " + (
                    str(action.metavar) if action.metavar else "|".join(map(str, action.choices or ["VALUE"]))
                )
            what = _roff(_help(action, parser)) or "\\&"
            text += f".TP\n\\fB{_roff(words)}\\fR\n{what}\n"
        if parser.epilog:
            text += f".SH NOTES\n{_roff(parser.epilog)}\n"
        pages[f"auditlint-{name}.1"] = text + ".SH SEE ALSO\nauditlint(1)\n"
    return pages


def files() -> dict[str, str]:
    """Everything, by its place below the prefix."""
    found = {
        "share/bash-completion/completions/auditlint": bash(),
        "share/zsh/site-functions/_auditlint": zsh(),
        "share/fish/vendor_completions.d/auditlint.fish": fish(),
    }
    return found | {f"share/man/man1/{name}": text for name, text in man().items()}
