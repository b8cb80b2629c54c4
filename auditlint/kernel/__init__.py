"""The model of the kernel: how rules are stored, which a system call visits, and which of them decides."""
