"""Requests to act: from a sentence to a command with a name and arguments. Nothing here does anything."""

from bot.commands.command import Command, Name, Risk
from bot.commands.equivalents import equivalent
from bot.commands.reading import read

__all__ = ["Command", "Name", "Risk", "equivalent", "read"]
