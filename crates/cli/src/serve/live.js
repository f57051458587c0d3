
const text = (id, value) => { const place = document.getElementById(id); if (place) place.textContent = value; };
const source = new EventSource("events");
source.onopen = () => text("live-state", "live");
source.onerror = () => text("live-state", "not connected");
source.onmessage = event => {
  const now = JSON.parse(event.data);
  text("live-state", now.trouble ? "no news" : "live");
  if (now.trouble) { text("live-news", now.trouble); return; }
  for (const figure of now.figures) text("live-" + figure.id, figure.value);
  const rows = document.getElementById("live-workers");
  if (rows) rows.replaceChildren(...now.workers.map(worker => {
    const row = document.createElement("tr");
    worker.forEach((value, place) => {
      const cell = document.createElement("td");
      if (place > 1) cell.className = "n";
      cell.textContent = value;
      row.append(cell);
    });
    return row;
  }));
  const shown = document.getElementById("live-figures").dataset.findings;
  text("live-news", now.findings === shown ? "" : "There are new findings: reload the page to see them.");
};
