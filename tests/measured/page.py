# The page of errors: a text between two markers is written by a command, never by hand.
# SPDX-License-Identifier: Apache-2.0


def renew(page, section, lines):
    """Puts lines between `<!-- SECTION -->` and the next `<!-- end -->` of a page; raises ValueError where the page has no such place."""
    marker = f"<!-- {section} -->\n"
    with open(page) as f:
        before, found, rest = f.read().partition(marker)
    _, ended, after = rest.partition("<!-- end -->")
    if not found or not ended:
        raise ValueError(f"{page} has no place <!-- {section} --> … <!-- end -->")
    with open(page, "w") as f:
        f.write(before + marker + "\n".join(lines) + "\n<!-- end -->" + after)
