// watch_merges: build the viewer from the data beside this script, and step through it.
// Nothing is computed here that a chapter teaches: merges, counts and places come from Python.
(() => {
  "use strict";
  const COLORS = 5;
  const ICONS = {
    first: "M5 4h2v12H5zM16 4v12L8 10z",
    prev: "M14 4v12L6 10z",
    next: "M6 4v12l8-6z",
    last: "M13 4h2v12h-2zM4 4v12l8-6z",
    play: "M5 3v14l12-7z",
    pause: "M5 4h4v12H5zM11 4h4v12h-4z",
  };

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const path = document.createElementNS(space, "path");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  }

  function start(root) {
    const data = JSON.parse(root.querySelector(".bpe-watch-data").textContent);
    const { labels, steps, tables, names } = data;
    const say = (key, values = {}) =>
      labels[key].replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    let step = 0;
    let reached = 0;
    let timer = 0;

    // ---- what the sequence looks like after k merges: [offset in bytes, id], ...
    function sequence(k) {
      let tokens = data.start.map((id, offset) => [offset, id]);
      for (const { at, idx } of steps.slice(0, k)) {
        const merged = new Set(at);
        const next = [];
        for (let i = 0; i < tokens.length; i++) {
          const [offset, id] = tokens[i];
          next.push([offset, merged.has(offset) ? idx : id]);
          if (merged.has(offset)) i++;
        }
        tokens = next;
      }
      return tokens;
    }

    const color = (id) => (id < data.bytes ? "" : ` bpe-watch-c${id % COLORS}`);

    function chip(id, extra = "") {
      return make(
        "span",
        { class: `bpe-watch-chip${color(id)}${extra}` },
        make("bdi", {}, names[id]),
        make("small", {}, id)
      );
    }

    const rule = ({ pair, idx }) => `(${pair.join(", ")}) → ${idx} “${names[idx]}”`;

    // ---- the parts
    const button = (action) => {
      const element = make("button", { type: "button", "data-action": action }, icon(action));
      if (action === "prev") element.append(say(action));
      else if (action === "next") element.prepend(say(action));
      else element.setAttribute("aria-label", say(action));
      element.title = say(action);
      return element;
    };
    const buttons = {};
    for (const action of ["first", "prev", "next", "last", "play"]) buttons[action] = button(action);
    const slider = make("input", {
      type: "range", min: 0, max: steps.length, value: 0, "aria-label": say("slider"),
    });
    const where = make("span", { class: "bpe-watch-where" });
    const bar = make("div", { class: "bpe-watch-bar" }, ...Object.values(buttons), slider, where);
    const news = make("p", { class: "bpe-watch-news" });
    const plan = make("p", { class: "bpe-watch-plan" });
    const numbers = make("p", { class: "bpe-watch-numbers" });
    const line = make("div", { class: "bpe-watch-line", role: "img" });
    const counts = make("div", { class: "bpe-watch-counts" });
    const list = make("ol", { class: "bpe-watch-list" });
    const none = make("p", { class: "bpe-watch-none" }, say("none"));
    const items = steps.map((each, i) => {
      const [a, b] = each.pair;
      const jump = make("button", { type: "button", "data-jump": i + 1 },
        chip(a), chip(b), " → ", chip(each.idx));
      const item = make("li", {}, jump);
      list.append(item);
      return { item, jump };
    });
    const live = make("p", { class: "bpe-watch-live", "aria-live": "polite" });
    const panel = make("div", { class: "bpe-watch-panel" },
      bar, news, numbers, line, plan,
      make("div", { class: "bpe-watch-columns" },
        make("section", {}, make("h4", {}, say("counts")), counts),
        make("section", {}, make("h4", {}, say("merges")), none, list)),
      live);

    // ---- drawing
    function drawLine() {
      const old = new Map();
      for (const each of line.querySelectorAll("[data-at]"))
        old.set(each.dataset.at, each.getBoundingClientRect());
      const done = new Set(step ? steps[step - 1].at : []);
      const next = new Set(step < steps.length ? steps[step].at : []);
      const tokens = sequence(step);
      const children = [];
      for (let i = 0; i < tokens.length; i++) {
        const [at, id] = tokens[i];
        const element = chip(id, done.has(at) ? " bpe-watch-new" : "");
        element.dataset.at = at;
        if (!next.has(at)) {
          children.push(element);
          continue;
        }
        const [nextAt, nextId] = tokens[++i];
        const partner = chip(nextId, done.has(nextAt) ? " bpe-watch-new" : "");
        partner.dataset.at = nextAt;
        const pair = `bpe-watch-pair bpe-watch-l${steps[step].idx % COLORS}`;
        children.push(make("span", { class: pair }, element, partner));
      }
      line.replaceChildren(...children);
      const spoken = tokens.map(([, id]) => names[id]).join(" | ");
      line.setAttribute("aria-label", `${say("sequence")}: ${spoken}`);
      if (!old.size || calm.matches) return;
      for (const each of line.querySelectorAll("[data-at]")) {
        const before = old.get(each.dataset.at);
        if (!before) continue;
        const after = each.getBoundingClientRect();
        const x = before.left - after.left;
        const y = before.top - after.top;
        const grown = each.classList.contains("bpe-watch-new");
        if (!x && !y && !grown) continue;
        each.animate(
          [{ transform: `translate(${x}px, ${y}px) ${grown ? "scale(1.15)" : ""}` },
           { transform: "none" }],
          { duration: 350, easing: "ease-out" });
      }
    }

    function drawCounts() {
      const { rows, pairs } = tables[step];
      const top = rows.length ? rows[0][2] : 0;
      const body = make("tbody");
      rows.forEach(([a, b, count, used], i) => {
        const bar = make("span", { class: "bpe-watch-fill" });
        bar.style.width = `${(100 * count) / top}%`;
        bar.style.setProperty("--bpe-used", `${(100 * used) / count}%`);
        const notes = make("td", {});
        const chosen = i === 0 && step < steps.length;
        if (chosen) notes.append(make("b", {}, say("is_next")), " ");
        if (count === top && rows.length > 1 && rows[1][2] === top)
          notes.append(make("i", {}, say("is_tie")), " ");
        if (used < count) notes.append(make("span", {}, say("is_overlap", { used })));
        body.append(make("tr", chosen ? { class: "bpe-watch-chosen" } : {},
          make("th", { scope: "row" }, chip(a), chip(b)),
          make("td", { class: "bpe-watch-count" }, count),
          make("td", { class: "bpe-watch-gauge" }, bar),
          notes));
      });
      counts.replaceChildren(make("table", {}, body));
      if (pairs > rows.length)
        counts.append(make("p", {}, say("more", { n: pairs - rows.length })));
    }

    function drawWords() {
      const before = step ? steps[step - 1] : null;
      const after = steps[step];
      news.textContent = before
        ? say("learned", { rule: rule(before), used: before.at.length })
        : say("start");
      const words = [];
      if (after) {
        const pair = after.pair.map((id) => names[id]).join(" + ");
        words.push(say("upcoming", { pair, count: after.count }));
        if (after.at.length < after.count)
          words.push(say("overlap", { count: after.count, used: after.at.length }));
        if (after.rivals) {
          const key = `tie_${data.ties}` in labels ? `tie_${data.ties}` : "tie_other";
          words.push(say("tie", { n: after.rivals + 1, rule: say(key, { ties: data.ties }) }));
        }
      } else words.push(say(`end_${data.end}`, { steps: steps.length }));
      plan.textContent = words.join(" ");
      const n = sequence(step).length;
      numbers.replaceChildren(
        make("span", {}, say("ids", { n, start: data.start.length })),
        make("span", {}, say("vocab", { n: data.bytes + step })));
      where.textContent = say("step", { step, steps: steps.length });
    }

    function draw() {
      root.dataset.step = step;
      slider.value = step;
      slider.setAttribute("aria-valuetext", say("step", { step, steps: steps.length }));
      for (const action of ["first", "prev"])
        buttons[action].setAttribute("aria-disabled", step === 0);
      for (const action of ["next", "last"])
        buttons[action].setAttribute("aria-disabled", step === steps.length);
      drawWords();
      drawLine();
      drawCounts();
      none.hidden = reached > 0;
      items.forEach(({ item, jump }, i) => {
        item.hidden = i >= reached;
        item.classList.toggle("bpe-watch-later", i >= step);
        if (i + 1 === step) jump.setAttribute("aria-current", "step");
        else jump.removeAttribute("aria-current");
      });
    }

    function go(to) {
      const target = Math.max(0, Math.min(steps.length, to));
      if (target === step) return;
      step = target;
      reached = Math.max(reached, step);
      draw();
      live.textContent = `${where.textContent}. ${news.textContent} ${plan.textContent}`;
    }

    function play(on) {
      clearInterval(timer);
      timer = 0;
      if (on) {
        if (step === steps.length) go(0);
        timer = setInterval(() => {
          go(step + 1);
          if (step === steps.length || !root.isConnected) play(false);
        }, 1400);
      }
      const name = on ? "pause" : "play";
      buttons.play.replaceChildren(icon(name));
      buttons.play.setAttribute("aria-label", say(name));
      buttons.play.title = say(name);
    }

    const actions = {
      first: () => go(0),
      prev: () => go(step - 1),
      next: () => go(step + 1),
      last: () => go(steps.length),
    };
    const keys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

    root.addEventListener("click", (event) => {
      const target = event.target.closest("[data-action], [data-jump]");
      if (!target) return;
      if (target.dataset.action === "play") return play(!timer);
      play(false);
      if (target.dataset.jump) go(Number(target.dataset.jump));
      else actions[target.dataset.action]();
    });
    slider.addEventListener("input", () => {
      play(false);
      go(Number(slider.value));
    });
    root.addEventListener("keydown", (event) => {
      if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      play(false);
      actions[keys[event.key]]();
    });

    // ---- in place of the table, which stays at hand
    const fixed = root.querySelector(".bpe-watch-static");
    const details = make("details", { class: "bpe-watch-details" },
      make("summary", {}, say("table")));
    fixed.before(panel, details);
    details.append(fixed);
    root.tabIndex = 0;
    draw();
  }

  const here = document.currentScript && document.currentScript.closest(".bpe-watch");
  for (const root of here ? [here] : document.querySelectorAll(".bpe-watch")) {
    if (root.dataset.ready) continue;
    root.dataset.ready = "yes";
    start(root);
  }
})();
