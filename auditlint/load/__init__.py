"""The load simulator: what auditctl sends, what the kernel takes, where the load stops, what is lost."""
