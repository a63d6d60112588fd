"""The code assistant: reads, searches and changes the files of one folder, and runs commands in a sandbox."""

from glassloop.extensions.code.extension import CodeExtension

__all__ = ["CodeExtension"]
