"""What a rule set costs at each system call: prices measured on real kernels, applied to the kernel's own walk."""
