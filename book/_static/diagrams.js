// Draw the page's mermaid diagrams, and draw them again when the reader changes between light and dark.
(() => {
  const root = document.documentElement;
  const sources = new Map([...document.querySelectorAll("pre.mermaid")].map((pre) => [pre, pre.textContent]));
  const dark = () => root.dataset.theme === "dark";
  let drawn = null;
  async function draw() {
    if (drawn === dark()) return;
    drawn = dark();
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      theme: drawn ? "dark" : "neutral",
      // The words on the arrows: mermaid's own gray on gray is hard to read on a dark page.
      themeVariables: drawn ? { edgeLabelBackground: "#222222" } : {},
    });
    for (const [pre, text] of sources) {
      pre.removeAttribute("data-processed");
      pre.textContent = text;
    }
    await mermaid.run({ nodes: [...sources.keys()] });
  }
  draw();
  new MutationObserver(draw).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
})();
