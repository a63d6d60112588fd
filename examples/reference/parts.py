"""File, Image: what else a question holds, beside its text."""

from glassloop import Agent, File, Image, ScriptedModel

GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

note = File(b"Bearings: 140", name="stock.txt")
print(note, Image(url=GIF, name="pixel.gif"))
print(Agent(ScriptedModel(["140 bearings."])).run_sync(["What is in the file?", note]).text)
