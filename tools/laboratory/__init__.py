"""The laboratory: what audit costs and records on real kernels, counted in an emulated machine."""
