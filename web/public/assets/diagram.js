// Draws one diagram in a frame of its own: no origin, no network, no way out but messages. The page sends the source.

"use strict";

const tell = (message) => window.parent.postMessage({ diagram: message }, "*");

async function draw({ source, dark }) {
  const place = document.getElementById("diagram");
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  place.removeAttribute("data-processed");
  place.textContent = source;
  window.mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    theme: dark ? "dark" : "neutral",
    fontFamily: "system-ui, sans-serif",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: 20000,
    maxEdges: 500,
  });
  try {
    await window.mermaid.run({ nodes: [place] });
    tell({ height: Math.ceil(place.getBoundingClientRect().height) });
  } catch (error) {
    tell({ error: String(error?.message ?? error).slice(0, 300) });
  }
}

let drawing = Promise.resolve();
window.addEventListener("message", (event) => {
  if (event.source === window.parent && typeof event.data?.source === "string") {
    drawing = drawing.then(() => draw(event.data));
  }
});
window.addEventListener("resize", () => {
  const height = Math.ceil(document.getElementById("diagram").getBoundingClientRect().height);
  if (document.querySelector("#diagram > svg")) tell({ height });
});
tell({ ready: Boolean(window.mermaid) });
