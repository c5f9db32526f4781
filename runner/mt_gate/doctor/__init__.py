"""``mt-gate doctor``: what is installed, what a run would compute on, and why not the GPU."""
