"""In the place of the process that writes the sample: one small night of the guild, and one of a reference."""

import sys
from pathlib import Path

from glassloop.extensions.raids.sample import REFERENCES, make_raid
from glassloop.extensions.raids.sample.guild import REGRESSION

folder = Path(sys.argv[1])
(folder / REFERENCES).mkdir()
text = "\n".join(make_raid(3, size=5, health=0.02).lines())
names = [line.split(",")[2] for line in text.splitlines() if "Player-" in line.split(",")[1]]
(folder / "one.txt").write_text(text.replace(names[0].strip('"'), REGRESSION[0]))
(folder / REFERENCES / "two.txt").write_text("\n".join(make_raid(4, size=5, health=0.02).lines()))
