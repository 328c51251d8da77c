#!/usr/bin/env python3
"""Pages of `planc report` in a real browser: no message on the console, the pointer reads a layer, tables sort, pictures zoom; light, dark and printed.
    browser.py PLANC ROOT [FOLDER]     FOLDER keeps the pictures
Skipped (exit code 77) where there is no Chromium.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PLANC, ROOT = sys.argv[1], sys.argv[2]
PAGES = [("gpt3_175b.plan", ["--plan", "gpt3_175b"]), ("mixtral_ep.plan", []), ("llama3_8b_ways.plan", [])]
# Plays the user, and says what came of it in the title.
ROBOT = """<script>
addEventListener("load", () => {
  const said = {}, hover = document.getElementById("hover");
  const shape = [...document.querySelectorAll("figure svg *")].find((e) => e.querySelector(":scope > title") && e.closest("section").querySelector("h2").id.endsWith("layers"));
  shape.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  said.hover = hover.textContent;
  const figure = document.querySelector("figure.zooms"), svg = figure && figure.querySelector("svg");
  if (svg) {
    const before = svg.getAttribute("viewBox");
    figure.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
    said.zoomed = svg.getAttribute("viewBox") !== before;
  }
  const head = [...document.querySelectorAll("table:not(.source) tr:first-child th")].find((th) => th.closest("table").rows.length > 3);
  const first = () => head.closest("table").rows[1].textContent;
  const before = first();
  head.click();
  const down = first();
  head.click();
  said.sorted = down !== first();
  said.requests = performance.getEntriesByType("resource").length;
  said.dark = getComputedStyle(document.body).backgroundColor;
  document.title = "SAID " + JSON.stringify(said);
});
</script>"""


def chromium(browser, *arguments):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                               f"--user-data-dir={profile}", "--enable-logging=stderr", "--v=0", "--window-size=1280,2400", *arguments],
                              capture_output=True, text=True, timeout=300)


def problems(browser, page, name, pictures):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    played = page.replace(".html", ".played.html")
    with open(played, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", ROBOT + "\n</body>"))
    run = chromium(browser, "--dump-dom", "--virtual-time-budget=4000", "file://" + played)
    messages = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    if messages:
        yield f"messages on the console: {messages[:3]}"
    found = re.search(r"<title>SAID (.*?)</title>", run.stdout)
    if not found:
        yield f"the page did not run: {run.stderr[-400:]}"
        return
    said = json.loads(found[1].replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
    if not re.search(r"FLOP", said["hover"]):
        yield f"the pointer on a layer reads `{said['hover']}`"
    if not said.get("zoomed", True) or not said["sorted"] or said["requests"]:
        yield f"{said}"
    for look, word in (("light", []), ("dark", ["--blink-settings=preferredColorScheme=0"])):
        picture = os.path.join(pictures, f"{name}.{look}.png")
        chromium(browser, *word, f"--screenshot={picture}", "file://" + page)
        if not os.path.exists(picture) or os.path.getsize(picture) < 20_000:
            yield f"no picture of the {look} page"
    printed = os.path.join(pictures, f"{name}.pdf")
    chromium(browser, f"--print-to-pdf={printed}", "--no-pdf-header-footer", "file://" + page)
    if not os.path.exists(printed) or os.path.getsize(printed) < 20_000:
        yield "the page does not print"


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("there is no Chromium")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        pictures = sys.argv[3] if len(sys.argv) > 3 else folder
        os.makedirs(pictures, exist_ok=True)
        for name, words in PAGES:
            page = os.path.join(folder, name.replace(".plan", ".html"))
            subprocess.run([PLANC, "report", os.path.join(ROOT, "examples", name), *words, "-o", page], check=True, capture_output=True)
            for problem in problems(browser, page, name.replace(".plan", ""), pictures):
                bad += 1
                print(f"{name}: {problem}")
    print(f"{len(PAGES)} pages, {bad} problems")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
