// watch_merges: build the viewer from the data beside this script, and step through it.
// What a chapter teaches is not computed here: merges, counts and places come from Python.
(() => {
  "use strict";
  const COLORS = 5;
  const PAUSE = 1400; // milliseconds from step to step when it plays
  const HELD = 340; // pixels
  const ICONS = {
    first: "M4 4h2.5v12H4zM16 4v12L7.5 10z",
    prev: "M14 4v12L5 10z",
    next: "M6 4v12l9-6z",
    last: "M13.5 4H16v12h-2.5zM4 4v12l8.5-6z",
    play: "M5 3v14l12-7z",
    pause: "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z",
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
    const end = steps.length;
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    let step = 0;
    let reached = 0; // merges up to here have been seen: they stay in the list
    let timer = 0;

    // A label with its {places} filled: with text, or with elements.
    const fill = (key, values = {}) =>
      labels[key].split(/\{(\w+)\}/).map((part, i) => (i % 2 ? (values[part] ?? "") : part));
    const say = (key, values) => fill(key, values).join("");

    // The text after k merges: a list of [offset in bytes, id].
    function sequence(k) {
      let tokens = data.start.map((id, offset) => [offset, id]);
      for (const { at, idx } of steps.slice(0, k)) {
        const merged = new Set(at);
        const after = [];
        for (let i = 0; i < tokens.length; i++) {
          const [offset, id] = tokens[i];
          after.push([offset, merged.has(offset) ? idx : id]);
          if (merged.has(offset)) i++; // its right neighbor went into it
        }
        tokens = after;
      }
      return tokens;
    }

    // ---- small parts
    const color = (id) => (id < data.bytes ? "" : ` bpe-watch-c${id % COLORS}`);
    const name = (id) => make("bdi", { dir: "ltr" }, names[id]);
    const chip = (id, look = "") =>
      make("span", { class: `bpe-watch-chip${color(id)}${look}` }, name(id), make("small", {}, id));
    const joined = ([a, b]) => make("span", { class: "bpe-watch-pair" }, a, b);
    const rule = ({ pair: [a, b], idx }) =>
      make("code", {}, ...fill("rule", { a, b, idx, name: name(idx) }));

    function button(action) {
      const element = make("button", { type: "button", "data-action": action }, icon(action));
      if (action === "prev") element.append(say(action));
      else if (action === "next") element.prepend(say(action));
      else element.setAttribute("aria-label", say(action));
      if (element.ariaLabel) element.title = say(action);
      return element;
    }

    function item({ pair: [a, b], idx }, i) {
      const jump = make("button", { type: "button", "data-jump": i + 1 },
        make("span", { class: "bpe-watch-number" }, i + 1),
        chip(a), chip(b), make("span", { class: "bpe-watch-arrow" }, "→"), chip(idx));
      return make("li", {}, jump);
    }

    // ---- the panel
    const buttons = Object.fromEntries(
      ["first", "prev", "next", "last", "play"].map((action) => [action, button(action)]));
    const slider = make("input", {
      type: "range", min: 0, max: end, value: 0, "aria-label": say("slider"),
    });
    const where = make("span", { class: "bpe-watch-where" });
    const news = make("p", { class: "bpe-watch-news" });
    const numbers = make("p", { class: "bpe-watch-numbers" });
    const text = make("p", { class: "bpe-watch-text" },
      ...fill("text", { text: make("bdi", {}, data.text) }));
    const line = make("div", { class: "bpe-watch-line", role: "img" });
    const plan = make("p", { class: "bpe-watch-plan" });
    const rows = make("tbody");
    const more = make("p", { class: "bpe-watch-more" });
    const none = make("p", { class: "bpe-watch-more" }, say("none"));
    const items = steps.map(item);
    const list = make("ol", { class: "bpe-watch-list" }, ...items);
    const live = make("p", { class: "bpe-watch-live", "aria-live": "polite" });
    const head = ["pair", "count", "", ""].map((key) =>
      key ? make("th", { scope: "col" }, say(`col_${key}`)) : make("td"));
    const section = (key, ...children) =>
      make("div", { role: "group", "aria-label": say(key) },
        make("p", { class: "bpe-watch-head", "aria-hidden": "true" }, say(key)), ...children);
    const columns = make("div", { class: "bpe-watch-columns" },
      section("counts",
        make("table", { class: "bpe-watch-counts" },
          make("thead", {}, make("tr", {}, ...head)), rows), more),
      section("merges", none, list));
    const panel = make("div", { class: "bpe-watch-panel" },
      make("div", { class: "bpe-watch-bar" }, ...Object.values(buttons), slider, where),
      news, numbers, ...(data.text ? [text] : []), line, plan, columns, live);

    // ---- drawing
    function drawWords() {
      const before = steps[step - 1];
      const after = steps[step];
      where.textContent = say("step", { step, steps: end });
      news.replaceChildren(...(before ? fill("learned", { rule: rule(before) }) : fill("start")));
      const facts = [
        say("ids", { n: sequence(step).length, start: data.start.length }),
        say("vocab", { n: data.bytes + step }),
      ];
      if (before) facts.unshift(say("replaced", { used: before.at.length }));
      numbers.replaceChildren(...facts.map((fact) => make("span", {}, fact)));
      plan.replaceChildren(...planned(after && joined(after.pair.map((id) => chip(id)))));
    }

    // What comes next, and why; the pair as an element for the eye, as text for the ear.
    function planned(pair) {
      if (step === end) return [say(`end_${data.end}`, { steps: end })];
      const { count, rivals, at } = steps[step];
      const words = fill("upcoming", { pair, count });
      if (at.length < count) words.push(" ", say("overlap", { used: at.length }));
      if (rivals) {
        const key = `tie_${data.ties}` in labels ? `tie_${data.ties}` : "tie_other";
        words.push(" ", say("tie", { n: rivals + 1 }), " ", say(key, { ties: data.ties }));
      }
      return words;
    }

    function drawLine() {
      const boxes = new Map();
      for (const each of line.querySelectorAll("[data-at]"))
        boxes.set(each.dataset.at, each.getBoundingClientRect());
      const fresh = new Set(steps[step - 1]?.at);
      const next = new Set(steps[step]?.at);
      const tokens = sequence(step);
      const chips = tokens.map(([at, id]) => {
        const element = chip(id, fresh.has(at) ? " bpe-watch-new" : "");
        element.dataset.at = at;
        return element;
      });
      const children = [];
      for (let i = 0; i < chips.length; i++)
        children.push(next.has(tokens[i][0]) ? joined([chips[i], chips[++i]]) : chips[i]);
      line.replaceChildren(...children);
      const spoken = tokens.map(([, id]) => names[id]).join(" | ");
      line.setAttribute("aria-label", `${say("sequence")}: ${spoken}`);
      if (!calm.matches) for (const each of chips) move(each, boxes.get(each.dataset.at));
    }

    // From where it was to where it is; a token that has just been merged grows into place.
    function move(element, before) {
      if (!before) return;
      const after = element.getBoundingClientRect();
      const [x, y] = [before.left - after.left, before.top - after.top];
      const grown = element.classList.contains("bpe-watch-new");
      if (!x && !y && !grown) return;
      const from = `translate(${x}px, ${y}px)${grown ? ` scale(${before.width / after.width}, 1)` : ""}`;
      element.animate([{ transform: from, transformOrigin: "0 0" },
        { transform: "none", transformOrigin: "0 0" }], { duration: 380, easing: "ease-out" });
    }

    // The page below stays where it is: what has been high once stays as high at this width (a
    // long text may shrink to HELD), and the list of merges has its full height from the start.
    let width = 0;
    function hold() {
      const held = [line, plan, columns];
      const resized = line.clientWidth !== width;
      if (resized) for (const each of held) each.style.minHeight = "";
      if (resized) for (const each of items) each.hidden = false;
      for (const each of held) {
        const highest = Math.max(each.offsetHeight, parseFloat(each.style.minHeight) || 0);
        each.style.minHeight = `${each === line ? Math.min(highest, HELD) : highest}px`;
      }
      width = line.clientWidth;
      if (resized) drawList();
    }

    function drawCounts() {
      const { rows: pairs, pairs: total } = tables[step];
      const top = pairs.length ? pairs[0][2] : 0;
      const tied = pairs.length > 1 && pairs[1][2] === top;
      rows.replaceChildren(...pairs.map(([a, b, count, used], i) => {
        const bar = make("span", { class: "bpe-watch-gauge" });
        bar.style.width = `${(100 * count) / top}%`;
        bar.style.setProperty("--bpe-used", `${(100 * used) / count}%`);
        const chosen = i === 0 && step < end;
        const notes = make("td", { class: "bpe-watch-notes" });
        if (chosen) notes.append(make("b", {}, say("is_next")), " ");
        if (tied && count === top && step < end) notes.append(make("i", {}, say("is_tie")), " ");
        if (used < count) notes.append(say("is_overlap", { used }));
        return make("tr", { class: chosen ? "bpe-watch-chosen" : "" },
          make("th", { scope: "row" }, make("span", { class: "bpe-watch-two" }, chip(a), chip(b))),
          make("td", { class: "bpe-watch-count" }, count),
          make("td", { class: "bpe-watch-bars" }, bar), notes);
      }));
      rows.parentElement.hidden = !pairs.length;
      more.textContent = total > pairs.length ? say("more", { n: total - pairs.length }) : "";
      if (!total) more.textContent = say("no_pairs");
    }

    function drawList() {
      none.hidden = reached > 0;
      items.forEach((each, i) => {
        each.hidden = i >= reached;
        each.classList.toggle("bpe-watch-later", i >= step);
        const jump = each.firstChild;
        if (i + 1 !== step) return jump.removeAttribute("aria-current");
        jump.setAttribute("aria-current", "step");
        const [top, bottom] = [each.offsetTop - list.offsetTop, each.offsetHeight];
        if (top < list.scrollTop) list.scrollTop = top;
        else if (top + bottom > list.scrollTop + list.clientHeight)
          list.scrollTop = top + bottom - list.clientHeight;
      });
    }

    function draw() {
      root.dataset.step = step;
      drawWords();
      slider.value = step;
      slider.setAttribute("aria-valuetext", where.textContent);
      buttons.first.setAttribute("aria-disabled", step === 0);
      buttons.prev.setAttribute("aria-disabled", step === 0);
      buttons.next.setAttribute("aria-disabled", step === end);
      buttons.last.setAttribute("aria-disabled", step === end);
      drawLine();
      drawCounts();
      drawList();
      hold();
    }

    // ---- stepping
    function go(to) {
      const target = Math.max(0, Math.min(end, to));
      if (target === step) return;
      step = target;
      reached = Math.max(reached, step);
      draw();
      const pair = steps[step]?.pair.map((id) => names[id]).join(" + ");
      live.textContent = `${where.textContent}. ${news.textContent}. ${planned(pair).join("")}`;
    }

    function play(on) {
      clearInterval(timer);
      timer = 0;
      if (on) {
        go(step === end ? 0 : step + 1);
        timer = setInterval(() => {
          go(step + 1);
          if (step === end || !root.isConnected) play(false);
        }, PAUSE);
      }
      const action = on ? "pause" : "play";
      buttons.play.replaceChildren(icon(action));
      buttons.play.ariaLabel = buttons.play.title = say(action);
    }

    const actions = {
      first: () => go(0),
      prev: () => go(step - 1),
      next: () => go(step + 1),
      last: () => go(end),
    };
    const keys = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

    root.addEventListener("click", (event) => {
      const target = event.target.closest("[data-action], [data-jump]");
      if (!target) return;
      if (target === buttons.play) return play(!timer);
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
      event.stopPropagation(); // the page may turn over on arrow keys, and JupyterLab folds cells
      play(false);
      actions[keys[event.key]]();
    });

    // ---- into the page: the table of all steps stays at hand, folded (and is printed)
    const table = root.querySelector(".bpe-watch-static");
    const fold = make("details", {}, make("summary", {}, say("table")));
    fold.addEventListener("toggle", () => { table.hidden = !fold.open; });
    table.hidden = true;
    table.before(panel, make("div", { class: "bpe-watch-foot" },
      fold, make("span", { class: "bpe-watch-hint" }, say("hint"))));
    root.tabIndex = 0;
    draw();
    if (window.ResizeObserver) new ResizeObserver(hold).observe(root);
  }

  const here = document.currentScript?.closest(".bpe-watch");
  for (const root of here ? [here] : document.querySelectorAll(".bpe-watch")) {
    if (root.dataset.ready) continue;
    root.dataset.ready = "yes";
    start(root);
  }
})();
