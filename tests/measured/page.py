# The pages of errors: a command writes the text between two markers, nobody writes it by hand.
# SPDX-License-Identifier: Apache-2.0
import glob
import os


def renew(folder, section, lines):
    """Replaces the lines between `<!-- SECTION -->` and the next `<!-- end -->`; raises ValueError unless exactly one page of the folder has the section."""
    marker = f"<!-- {section} -->\n"
    texts = {path: open(path).read() for path in sorted(glob.glob(os.path.join(folder, "*.md")))}
    pages = [path for path, text in texts.items() if marker in text]
    if len(pages) != 1:
        raise ValueError(f"{len(pages)} pages of {folder} have <!-- {section} -->, not one")
    before, _, rest = texts[pages[0]].partition(marker)
    _, ended, after = rest.partition("<!-- end -->")
    if not ended:
        raise ValueError(f"{pages[0]}: <!-- {section} --> has no <!-- end -->")
    with open(pages[0], "w") as f:
        f.write(before + marker + "\n".join(lines) + "\n<!-- end -->" + after)
