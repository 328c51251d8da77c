"""Rewrites gpt3_175b.plan as another text of the same plans: another alias, a comment, blocks in another order."""
# SPDX-License-Identifier: Apache-2.0
import re
import sys

path = sys.argv[1]
with open(path, encoding="utf-8") as file:
    text = file.read()
text = text.replace("import std.models.gpt\n", "import std.models.gpt as models\n").replace("gpt.gpt3_175b(", "models.gpt3_175b(")
states = re.search(r"\n  states \{[^\n]*\n", text).group()
text = text.replace(states, "\n").replace("\n  train {", states + "\n  // the batch\n  train {", 1)
with open(path, "w", encoding="utf-8") as file:
    file.write(text)
