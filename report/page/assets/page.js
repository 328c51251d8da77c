// The page is complete without this: it adds the readout of what the pointer is on, zoom of pictures, and tables that sort.
"use strict";
(() => {
  const readout = document.createElement("div");
  readout.id = "hover";
  readout.setAttribute("role", "status");
  document.body.append(readout);
  document.addEventListener("mouseover", (event) => {
    const shape = event.target.closest("svg *");
    const title = shape && shape.querySelector(":scope > title");
    readout.textContent = title ? title.textContent : "";
  });

  for (const figure of document.querySelectorAll("figure.zooms")) {
    const svg = figure.querySelector("svg");
    const whole = svg.viewBox.baseVal, width = whole.width, height = whole.height;
    let from = 0, share = 1;
    figure.tabIndex = 0;
    const show = () => {
      from = Math.max(0, Math.min(from, width * (1 - share)));
      svg.setAttribute("preserveAspectRatio", "none");
      svg.setAttribute("viewBox", `${from} 0 ${width * share} ${height}`);
    };
    const zoom = (factor, at) => {
      const next = Math.max(1 / 4096, Math.min(1, share * factor));
      from += (share - next) * width * at;
      share = next;
      show();
    };
    figure.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      const box = svg.getBoundingClientRect();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, (event.clientX - box.left) / box.width);
    }, { passive: false });
    figure.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
      if (event.key === "+") zoom(0.8, 0.5);
      else if (event.key === "-") zoom(1.25, 0.5);
      else if (event.key === "0") { share = 1; show(); }
      else if (move) { from += move * width * share; show(); }
      else return;
      event.preventDefault();
    });
    let grabbed = null;
    svg.addEventListener("pointerdown", (event) => { grabbed = { x: event.clientX, from }; svg.setPointerCapture(event.pointerId); });
    svg.addEventListener("pointerup", () => { grabbed = null; });
    svg.addEventListener("pointermove", (event) => {
      if (!grabbed) return;
      from = grabbed.from - ((event.clientX - grabbed.x) / svg.getBoundingClientRect().width) * width * share;
      show();
    });
  }

  // A cell sorts by the number that stands in `data-n`, else by its text.
  for (const head of document.querySelectorAll("table:not(.source) tr:first-child th")) {
    let down = false;
    head.tabIndex = 0;
    const sort = () => {
      const table = head.closest("table"), column = [...head.parentNode.children].indexOf(head);
      const rows = [...table.querySelectorAll("tr")].slice(1);
      down = !down;
      const value = (row) => {
        const cell = row.children[column];
        return cell ? (cell.dataset.n !== undefined ? Number(cell.dataset.n) : cell.textContent) : "";
      };
      rows.sort((a, b) => {
        const x = value(a), y = value(b);
        const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
        return down ? -order : order;
      });
      rows[0].parentNode.append(...rows);
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  }
})();
