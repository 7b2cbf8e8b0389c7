"""Figures of kernels: k(t) against the lag, and the spectral density against the frequency.

The one room that imports matplotlib, which `kernelspec[plot]` brings, for a figure only.
"""

from kernelspec.plotting.kernel_figure import Drawn, drawn_kernels, kernel_panel, label_of, plot_kernels, spectrum_panel

__all__ = ["Drawn", "drawn_kernels", "kernel_panel", "label_of", "plot_kernels", "spectrum_panel"]
