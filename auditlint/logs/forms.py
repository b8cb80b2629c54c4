"""The forms in which audit records are kept besides audit.log, turned into its lines.

A line of another form becomes the line that auditd would have written, so that all that follows reads one form.
"""

from __future__ import annotations

import re

RAW, SYSLOG, INTERPRETED = "raw", "syslog", "interpreted"
JOURNAL_JSON, JOURNAL_EXPORT, LAUREL = "journald JSON", "journald export", "laurel"

_RAW = re.compile(rb"(?m)^(?:node=\S+ )?type=\S+ msg=audit\(\d+\.\d+:\d+\):")
_SYSLOG = re.compile(rb"(?m)^.{0,256}?(?:type=\S+ (?:msg=)?)audit\(\d+\.\d+:\d+\):")
_INTERPRETED = re.compile(rb"(?m)^(?:node=\S+ )?type=\S+ msg=audit\(\d+/\d+/\d+ [0-9:.]+:\d+\) :")
_JOURNAL_JSON = re.compile(rb'(?m)^\{.*"(?:_AUDIT_TYPE|__REALTIME_TIMESTAMP)"')
_JOURNAL_EXPORT = re.compile(rb"(?m)^(?:__CURSOR=|_AUDIT_ID=)")
_LAUREL = re.compile(rb'(?m)^\{.*"ID":\s*"\d+\.\d+:\d+"')


def form_of(head: bytes) -> str | None:
    """The form of a log by its start; None for what is no audit log."""
    for pattern, form in (
        (_RAW, RAW),
        (_INTERPRETED, INTERPRETED),
        (_LAUREL, LAUREL),
        (_JOURNAL_JSON, JOURNAL_JSON),
        (_JOURNAL_EXPORT, JOURNAL_EXPORT),
        (_SYSLOG, SYSLOG),
    ):
        if pattern.search(head):
            return form
    return None
