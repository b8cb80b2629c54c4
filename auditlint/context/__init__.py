"""What checks are given: rules, a configuration, command lines, a system. A context computes each analysis once."""
