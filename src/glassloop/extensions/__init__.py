"""Everything of ours that is not the kernel, each part an `Extension` found by its entry point as anybody's is."""
