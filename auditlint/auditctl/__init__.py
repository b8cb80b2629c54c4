"""The rule language as auditctl reads it: bytes to lines, lines to words, words to options, options to rules."""
