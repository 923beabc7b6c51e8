"use strict";
// The items of a report: filter, search, read one by one, note. Texts are shown as text, never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("index").textContent);
  const { items, titles } = data;
  const PAGE = 100;
  const place = new Map(items.map((item, number) => [item.id, number]));
  const state = { changes: new Set(), status: "", labels: new Map(), search: "", reading: false, shown: PAGE, list: [] };

  // ---- elements

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null) node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  // ---- texts, parsed when they are first needed; they follow this script, so that the list does not wait for them

  const here = () => document.readyState !== "loading";
  const soon = (what) => document.addEventListener("DOMContentLoaded", what, { once: true });

  const parsed = new Map();
  function textsOf(number) {
    if (!parsed.has(number)) parsed.set(number, JSON.parse($(`t${number}`).textContent));
    return parsed.get(number);
  }

  let searchable = null, unpacking = null;
  const rests = new Map();  // what is cut from the beginnings shown, unpacked for the first search
  function searchTexts() {
    searchable ??= items.map((item, number) =>
      `${item.id}\n${Object.values(item.labels).join("\n")}\n${collect(textsOf(number))}`.toLowerCase());
    return searchable;
  }

  function collect(value) {
    if (typeof value === "string") return value;
    if (value === null || typeof value !== "object") return "";
    const held = typeof value.text === "string";  // a text with its rest, and no fields of a log by these names
    return Object.entries(value).map(([name, part]) =>
      held && name === "text" ? part + (rests.get(value.rest) ?? "") : held && name === "rest" ? "" : collect(part)).join("\n");
  }

  async function unpackAll() {
    for (const node of document.querySelectorAll('script[type="text/plain"]')) rests.set(node.id, await unpack(node.id));
    searchable = null;
  }

  async function unpack(name) {
    const packed = Uint8Array.from(atob($(name).textContent), (char) => char.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  function longText(held, marks = null) {
    const box = make("pre", { dir: "auto" });
    if (marks) box.append(...marks);
    else box.textContent = held.text || "(empty)";
    const count = (number) => `${number.toLocaleString("en")} more characters`;
    const lost = held.lost ? make("p", { class: "soft" }, `${count(held.lost)} are not in this page, only in the log.`) : "";
    if (!held.rest) return [box, lost];
    const button = make("button", { type: "button", onclick: async () => {
      button.disabled = true;
      box.append(await unpack(held.rest));
      button.remove();
    } }, `Show ${count(held.more)}`);
    return [box, button, lost];
  }

  // ---- what differs between two answers: the words that only one of them has, by a longest common subsequence

  const MOST_CELLS = 4e6;
  function differences(a, b) {
    const [x, y] = [a, b].map((text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) || []);
    let head = 0;
    while (head < x.length && head < y.length && x[head] === y[head]) head++;
    let tail = 0;
    while (tail < x.length - head && tail < y.length - head && x[x.length - 1 - tail] === y[y.length - 1 - tail]) tail++;
    const [p, q] = [x.slice(head, x.length - tail), y.slice(head, y.length - tail)];
    if (p.length * q.length > MOST_CELLS) return null;
    const kept = [new Uint8Array(p.length), new Uint8Array(q.length)];
    const wide = q.length + 1;
    const best = new Uint16Array((p.length + 1) * wide);
    for (let i = p.length - 1; i >= 0; i--)
      for (let j = q.length - 1; j >= 0; j--)
        best[i * wide + j] = p[i] === q[j] ? best[(i + 1) * wide + j + 1] + 1
          : Math.max(best[(i + 1) * wide + j], best[i * wide + j + 1]);
    for (let i = 0, j = 0; i < p.length && j < q.length;) {
      if (p[i] === q[j]) { kept[0][i++] = 1; kept[1][j++] = 1; }
      else if (best[(i + 1) * wide + j] >= best[i * wide + j + 1]) i++;
      else j++;
    }
    return [marked(x, p, kept[0], head, tail), marked(y, q, kept[1], head, tail)];
  }

  function marked(words, middle, kept, head, tail) {
    const nodes = [document.createTextNode(words.slice(0, head).join(""))];
    for (let i = 1; i < middle.length - 1; i++)  // a space between two marked words is marked with them
      if (kept[i] && !kept[i - 1] && !kept[i + 1] && !middle[i].trim()) kept[i] = 0;
    for (let i = 0; i < middle.length;) {
      let j = i;
      while (j < middle.length && kept[j] === kept[i]) j++;
      const text = middle.slice(i, j).join("");
      nodes.push(kept[i] ? document.createTextNode(text) : make("mark", {}, text));
      i = j;
    }
    nodes.push(document.createTextNode(words.slice(words.length - tail).join("")));
    return nodes;
  }

  // ---- notes, kept with this page where the browser allows it

  const store = `aliquot-notes:${location.pathname}`;
  function stored() {
    try { return new Map(Object.entries(JSON.parse(localStorage.getItem(store) || "{}"))); } catch { return new Map(); }
  }
  const notes = new Map([...stored()].filter(([id]) => place.has(id)));

  function setNote(id, text) {
    const all = stored();  // also what another window, or a page of other items under this name, has kept
    for (const kept of [notes, all]) if (text) kept.set(id, text); else kept.delete(id);
    try { localStorage.setItem(store, JSON.stringify(Object.fromEntries(all))); } catch { /* a browser that keeps nothing */ }
    countNotes();
  }

  function countNotes() {
    exporting.textContent = `Export notes (${notes.size})`;
    exporting.hidden = notes.size === 0;
  }

  function exportNotes() {
    const cell = (text) => `"${(/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
    const rows = [...notes].map(([id, note]) => [id, titles[items[place.get(id)]?.change] ?? "", note].map(cell).join(","));
    const blob = new Blob([`item,change,note\r\n${rows.join("\r\n")}\r\n`], { type: "text/csv" });
    const link = make("a", { href: URL.createObjectURL(blob), download: "notes.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // ---- the list

  const fields = new Map();  // no object: a field may be called constructor
  for (const item of items)
    for (const [name, value] of Object.entries(item.labels))
      fields.set(name, (fields.get(name) ?? new Set()).add(value));

  function select(label, options, change) {
    const box = make("select", { onchange: (event) => change(event.target.value) },
      make("option", { value: "" }, "all"), ...options.map((value) => make("option", { value }, value)));
    return make("label", {}, `${label} `, box);
  }

  const counts = Object.fromEntries(Object.keys(titles).map((change) => [change, 0]));
  for (const item of items) counts[item.change]++;
  const chips = Object.keys(titles).filter((change) => counts[change]).map((change) => {
    const box = make("input", { type: "checkbox", onchange: (event) => {
      event.target.checked ? state.changes.add(change) : state.changes.delete(change);
      refresh();
    } });
    return make("label", { class: "chip" }, box, ` ${titles[change]} (${counts[change].toLocaleString("en")})`);
  });
  const statuses = [...new Set(items.flatMap((item) => item.statuses))].sort();
  const filterable = [...fields].filter(([, values]) => values.size > 1 && values.size <= 60);
  let waiting = 0;
  const searching = make("input", { type: "search", oninput: () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      state.search = searching.value.trim().toLowerCase();
      if (state.search && !unpacking && data.rests) unpacking = unpackAll().then(() => { data.rests = 0; refresh(); });
      refresh();
    }, 150);
  } });
  const controls = make("form", { class: "controls", onsubmit: (event) => event.preventDefault() },
    make("fieldset", {}, make("legend", {}, "What became of them"), ...chips),
    statuses.length > 1 ? select("status", statuses, (value) => { state.status = value; refresh(); }) : null,
    ...filterable.map(([name, values]) =>
      select(name, [...values].sort(), (value) => { state.labels.set(name, value); refresh(); })),
    make("label", {}, "search ", searching));
  const reading = make("button", { type: "button", onclick: startReading }, `Read the failures (${data.order.length})`);
  reading.hidden = data.order.length === 0;
  const exporting = make("button", { type: "button", onclick: exportNotes });
  const said = make("p", { role: "status", class: "soft" });
  const list = make("ol", { class: "items" });
  const more = make("button", { type: "button", onclick: () => { state.shown += PAGE; fill(); } });
  const detail = make("article", { class: "detail", tabindex: "-1", hidden: true });
  const overview = make("div", {}, controls, make("p", { class: "buttons" }, reading, " ", exporting), said, list, more);
  $("app").append(overview, detail);

  function fits(item, number) {
    return (!state.changes.size || state.changes.has(item.change))
      && (!state.status || item.statuses.includes(state.status))
      && [...state.labels].every(([name, value]) => !value || (Object.hasOwn(item.labels, name) && item.labels[name] === value))
      && (!state.search || searchTexts()[number].includes(state.search));
  }

  function refresh() {
    if (state.search && !here()) return soon(refresh);
    state.list = items.map((item, number) => [item, number]).filter((pair) => fits(...pair)).map((pair) => pair[1]);
    state.shown = PAGE;
    fill();
  }

  function fill() {
    const part = state.list.slice(0, state.shown);
    list.replaceChildren(...part.map(entry));
    const left = state.list.length - part.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(PAGE, left)} more`;
    said.textContent = `${state.list.length.toLocaleString("en")} of ${items.length.toLocaleString("en")} items${
      unpacking && data.rests ? "; long texts are still being read" : ""}`;
  }

  function entry(number) {
    const item = items[number];
    const unusual = item.statuses.filter((status) => status !== "ok").join(" ");
    return make("li", {}, make("a", { href: linkTo(item.id) }, make("span", { class: "id" }, item.id)), " ",
      make("span", { class: `change ${item.change}` }, titles[item.change]), " ",
      make("span", { class: "strip" }, item.strips.join(" \u2192 ")), " ",
      make("span", { class: "soft" }, [unusual, ...Object.values(item.labels)].filter(Boolean).join(", ")));
  }

  // ---- one item

  const linkTo = (id) => `#item=${encodeURIComponent(id)}`;

  function turnsOf(turns) {
    return turns.flatMap((turn) => [make("p", { class: "role" }, turn.role), ...(turn.text ? longText(turn) : []),
      ...turn.calls.flatMap((call) => [make("p", { class: "role" }, `calls ${call.name}`), ...longText(call)])]);
  }

  function saidBy(held) {
    if (held.turns) return turnsOf(held.turns);
    return held.text === undefined ? [make("p", { class: "soft" }, "answer not kept")] : longText(held);
  }

  function pane(held, item, side, marks) {
    const scores = Object.entries(held.scores || {}), facts = Object.entries(held.facts || {});
    const pairs = (rows) => make("dl", { class: "facts" }, ...rows.flatMap(([key, value]) =>
      [make("dt", {}, key), make("dd", {}, value)]));
    const which = held.attempts > 1 ? ` attempt ${held.attempt} of ${held.attempts}` : "";
    return make("section", { class: "pane" },
      make("h4", {}, held.system, " ", make("span", { class: "strip" }, item.strips[side]), make("span", { class: "soft" }, which)),
      ...(marks ? longText(held, marks) : saidBy(held)),
      ...Object.entries(held.notes || {}).flatMap(([metric, note]) =>
        [make("p", { class: "role" }, `${metric} says`), ...longText(note)]),
      scores.length + facts.length ? pairs([...scores, ...facts]) : null);
  }

  function show(number) {
    const item = items[number], texts = textsOf(number), sides = texts.sides;
    const plain = sides.length === 2 && sides.every((held) => held.text !== undefined && !held.turns);
    const marks = plain && sides[0].text !== sides[1].text ? differences(sides[0].text, sides[1].text) : null;
    const same = plain && sides[0].text === sides[1].text && !sides.some((held) => held.more || held.lost);
    const order = state.reading ? data.order : state.list.length ? state.list : items.map((_, at) => at);
    const at = order.indexOf(number);
    const step = (by) => order[at + by] === undefined || at < 0 ? null : items[order[at + by]].id;
    const button = (text, id, key) => make("a", { class: "button", href: id === null ? null : linkTo(id),
      "aria-disabled": id === null ? "true" : null, "aria-keyshortcuts": key }, text);
    const note = make("textarea", { rows: "3", oninput: (event) => setNote(item.id, event.target.value) });
    note.value = notes.get(item.id) || "";
    const labels = Object.entries(item.labels).map(([name, value]) => `${name} ${value}`).join(", ");
    detail.replaceChildren(
      make("nav", { "aria-label": "Item" }, button("Previous", step(-1), "k"), " ", button("Next", step(1), "j"), " ",
        make("a", { class: "button", href: "#items", "aria-keyshortcuts": "Escape" }, "Back to the list"),
        make("span", { class: "soft" }, at < 0 ? "" : ` ${at + 1} of ${order.length}${state.reading ? " failures, in random order" : ""}`)),
      make("h3", { tabindex: "-1" }, make("span", { class: "id" }, item.id), " ",
        make("span", { class: `change ${item.change}` }, titles[item.change])),
      labels ? make("p", { class: "soft" }, labels) : "",
      ...(texts.asks ? [make("h4", {}, "Asked"), ...saidBy(texts.asks)] : []),
      ...(texts.expects ? [make("h4", {}, "Expected"), ...longText(texts.expects)] : []),
      same ? make("p", { class: "soft" }, "Both gave the same answer.") : "",
      make("div", { class: "sides" }, ...sides.map((held, side) => pane(held, item, side, marks && marks[side]))),
      ...(texts.metadata ? [make("details", {}, make("summary", {}, "Metadata"),
        ...Object.entries(texts.metadata).flatMap(([name, held]) => [make("p", { class: "role" }, name), ...longText(held)]))] : []),
      make("label", { class: "note" }, "Your note (kept in this browser, exported as CSV; a #word is a code for aliquot failures) ", note));
    overview.hidden = true;
    detail.hidden = false;
    detail.querySelector("h3").focus({ preventScroll: true });
    detail.scrollIntoView();
    detail.dataset.previous = step(-1) ?? "";
    detail.dataset.next = step(1) ?? "";
  }

  function startReading() {
    state.reading = true;
    location.hash = linkTo(items[data.order[0]].id);
  }

  function follow() {
    let id = null;
    if (location.hash.startsWith("#item=")) {
      try { id = decodeURIComponent(location.hash.slice(6)); } catch { id = location.hash.slice(6); }
    }
    if (id !== null && place.has(id)) return here() ? show(place.get(id)) : soon(follow);
    const back = !detail.hidden;
    if (location.hash === "#items") state.reading = false;
    detail.hidden = true;
    overview.hidden = false;
    if (id !== null) said.textContent = `There is no item ${id} in this page.`;
    else if (back && location.hash === "#items") searching.focus({ preventScroll: true });
  }

  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    if (detail.hidden || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") location.hash = "#items";
    else if (/^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName)) return;
    else if (event.key === "j" && detail.dataset.next) location.hash = linkTo(detail.dataset.next);
    else if (event.key === "k" && detail.dataset.previous) location.hash = linkTo(detail.dataset.previous);
  });
  countNotes();
  refresh();
  follow();
})();
