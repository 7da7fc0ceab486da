"""Filters that are code: signed plug-ins of a repository, each in a process of its own."""

from eventservices.bus.plugins.host import PluginError, PluginHost, PluginLimits

__all__ = ["PluginError", "PluginHost", "PluginLimits"]
