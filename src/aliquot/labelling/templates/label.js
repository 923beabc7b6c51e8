"use strict";
// The page of a rater: shows one answer, takes what is said by key or click, keeps it until the server has it.
// Texts are shown as text, never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const boot = JSON.parse($("boot").textContent);
  const base = location.pathname.replace(/\/$/, "");
  const prefix = `aliquot:${boot.project}:${boot.rater}:`;
  let form = boot.form, work = boot.work, current = null, busy = false;
  const past = [];  // places done in this window, for taking back
  const took = [];  // seconds of the last answers
  const did = new Set();  // the same; what the server said before it heard of them does not bring them back

  function make(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
  }

  // ---- what is kept in this browser until the server has acknowledged it

  const held = new Map();  // where the browser keeps nothing, until the page is closed
  const shelf = {
    set(key, value) { try { localStorage.setItem(prefix + key, JSON.stringify(value)); } catch { held.set(key, value); } },
    drop(key) { held.delete(key); try { localStorage.removeItem(prefix + key); } catch { /* nothing is kept there */ } },
    get(key) {
      try { return JSON.parse(localStorage.getItem(prefix + key)) ?? held.get(key) ?? null; } catch { return held.get(key) ?? null; }
    },
    keys(start) {
      const found = [...held.keys()];
      try { for (let i = 0; i < localStorage.length; i++) found.push(localStorage.key(i).startsWith(prefix) ? localStorage.key(i).slice(prefix.length) : ""); } catch { /* as above */ }
      return found.filter((key) => key.startsWith(start));
    },
  };
  const waiting = () => shelf.keys("e:").map((key) => shelf.get(key)).filter(Boolean).sort((a, b) => a.made - b.made);

  function newId() {  // randomUUID wants https, which a page in a local network has not
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // ---- the network

  const PATIENCE_MS = 20000;  // a connection that died in silence is asked no longer; what is sent twice is kept once
  let sending = null, pause = 1000, timer = 0, away = false;

  async function ask(path, body) {
    const answer = await fetch(`${base}/${path}`, { signal: AbortSignal.timeout(PATIENCE_MS), ...(body === undefined ? {} : {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }) });
    if (answer.status === 404) throw Object.assign(new Error("gone"), { said: await answer.text() });
    if (!answer.ok) throw Object.assign(new Error("refused"), { said: (await answer.text()).slice(0, 300) });
    return answer.json();
  }

  function flush() {
    sending ??= send().finally(() => { sending = null; });
    return sending;
  }

  async function send() {
    clearTimeout(timer);
    for (let events = waiting().slice(0, 200); events.length; events = waiting().slice(0, 200)) {
      try {
        const now = Date.now();
        const told = await ask("events", { events: events.map(({ made, ...event }) => ({ ...event, age_ms: Math.max(0, now - made) })) });
        for (const id of told.kept) shelf.drop(`e:${id}`);
        for (const one of told.refused) { shelf.drop(`e:${one.id}`); say(`One answer was not taken: ${one.why}`, true); }
        if (!told.kept.length && !told.refused.length) break;
        pause = 1000; away = false;
        if (told.feedback) feedback(told);
      } catch (error) {
        away = true;
        timer = setTimeout(flush, pause);
        pause = Math.min(pause * 2, 5000);
        if (error.said) say(error.said, true);
        count();
        return false;
      }
    }
    count();
    return true;
  }

  async function fetchWork() {
    const places = waiting().filter((event) => event.kind !== "undo").map((event) => event.place);
    work = await ask(`work?waiting=${places.join(",")}`);
    form = work.form;
    work.tasks = work.tasks.filter((task) => !did.has(task.place));
    away = false;
  }

  addEventListener("online", () => { pause = 1000; flush().then(() => current ?? next()); });
  addEventListener("beforeunload", (event) => { if (held.size) event.preventDefault(); });
  document.addEventListener("visibilitychange", async () => {
    if (document.hidden || !current || current.touched || current.review) return;
    const place = current.task.place;
    try { await fetchWork(); } catch { return; }
    if (current?.task.place === place && !current.touched && !work.tasks.some((task) => task.place === place)) next();  // done in another tab
  });

  // ---- texts

  const SHOWN = 4000;

  function textNodes(text, box) {  // code between fences is set as code, left to right
    const parts = text.split(/^```[^\n]*\n?/m);
    parts.forEach((part, at) => {
      if (at % 2) box.append(make("pre", {}, make("code", {}, part.replace(/\n$/, ""))));
      else if (part.trim() || parts.length === 1) box.append(parts.length === 1 ? part : part.replace(/^\n+|\n+$/g, ""));
    });
  }

  function textBox(text, extra = "") {
    const box = make("div", { class: `text ${extra}`, dir: "auto" });
    if (text.length <= SHOWN + 500) { textNodes(text, box); if (!text) box.append(make("span", { class: "soft" }, "(empty)")); return box; }
    let end = SHOWN;
    if (/[\ud800-\udbff]/.test(text[end - 1])) end++;
    textNodes(text.slice(0, end), box);
    box.append(make("button", { type: "button", class: "more", onclick: () => { box.replaceChildren(); textNodes(text, box); } },
      `Show ${(text.length - end).toLocaleString("en")} more characters`));
    return box;
  }

  function partsOf(parts) {
    if (!parts.length) return [make("p", { class: "soft" }, "(nothing was kept)")];
    return parts.map((part) => part.role ? make("div", { class: `turn ${/^assistant/i.test(part.role) ? "assistant" : ""}` },
      make("p", { class: "role" }, part.role), part.text || !(part.calls || []).length ? textBox(part.text) : null,
      ...(part.calls || []).map((call) => make("div", {}, make("p", { class: "role" }, `calls ${call.name}`), textBox(call.text, "call id"))))
      : textBox(part.text));
  }

  // ---- one answer

  const asked = () => form.questions.filter((one) => one.kind !== "reference");
  const simple = () => asked().length === 1 && ["choice", "scale", "pair"].includes(asked()[0].kind);
  const PAIR = { first: "First is better", second: "Second is better", tie: "Equally good", both_bad: "Both are bad" };
  const LETTERS = { first: "a", second: "b", tie: "t", both_bad: "x" };

  function keysOf(question) {  // a number is its own key, so that 2 on a scale from 0 is 2 and not the second
    const names = question.options.map(([name]) => name);
    if (question.kind === "pair") return names.map((name) => LETTERS[name]);
    if (names.every((name) => /^-?[0-9]+$/.test(name))) return names.map((name) => (/^[0-9]$/.test(name) ? name : null));
    return names.map((_, place) => (place < 9 ? String(place + 1) : null));
  }

  function show(task, review = false) {
    const kept = shelf.get(`d:${task.place}`) || {};
    const before = task.before && task.before.kind === "label" ? task.before : {};
    current = { task, review, rubric: form.rubric, id: newId(), began: performance.now(), shown: 0, touched: false, active: 0,
      said: { ...(before.said || {}), ...(kept.said || {}) }, unsure: kept.unsure ?? before.unsure ?? false, note: kept.note ?? before.note ?? "" };
    const many = task.answers.length > 1;
    const article = $("task");
    article.replaceChildren(
      make("h2", {}, work.stage === "training" ? `Training, round ${work.round}: answer ${task.number} of ${work.total}`
        : `${many ? "Pair" : "Answer"} ${task.number}${review ? " (looked at again)" : ""}`),
      make("h2", {}, "Asked"), ...partsOf(task.asks),
      ...(task.written ? [make("h2", {}, "You wrote"), textBox(task.written)] : []),
      ...(task.expects ? [make("h2", {}, "Expected"), textBox(task.expects)] : []),
      ...(many ? [make("div", { class: "sides" }, ...task.answers.map((parts, at) =>
          make("section", { class: "pane", "aria-label": at ? "Second answer" : "First answer" }, make("h2", {}, at ? "Second" : "First"), ...partsOf(parts))))]
        : task.held ? [] : [make("h2", {}, "Answered"), ...partsOf(task.answers[0] || [])]),
      ...(task.others.length ? [make("h2", {}, "What raters said"), make("div", { class: "others" }, ...task.others.map((one) =>
        make("p", {}, make("b", {}, `${one.who}: `), Object.entries(one.said).map(([name, text]) => Object.keys(one.said).length > 1 ? `${name} ${text}` : text).join("; "),
          one.note ? ` (${one.note})` : "")))] : []),
      ...(task.held ? [writing()] : asking()));
    scrollTo(0, 0);
    (task.held ? $("reference") : article).focus({ preventScroll: true });
    if (task.before?.kind === "skip") say(`Skipped before: ${task.before.reason}`);
    count();
  }

  function writing() {  // the reference is written before an answer is seen
    const question = form.questions.find((one) => one.kind === "reference");
    const area = make("textarea", { rows: 4, id: "reference", "aria-keyshortcuts": "Control+Enter", oninput: () => { current.said[question.name] = area.value; draft(); },
      onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit("reference"); } } });
    area.value = current.said[question.name] || "";
    return make("div", { class: "question" }, make("label", { class: "wide", for: "reference" }, question.asks), area,
      make("div", { class: "extras" }, make("button", { type: "button", class: "send", onclick: () => submit("reference") }, "Show the answer (Ctrl+Enter)"), skipButton()),
      make("div", { id: "skipping" }));
  }

  function asking() {
    const blocks = asked().map(block);
    const unsure = make("input", { type: "checkbox", id: "unsure", onchange: (event) => { current.unsure = event.target.checked; draft(); } });
    unsure.checked = current.unsure;
    const note = make("textarea", { rows: 2, id: "note", oninput: (event) => { current.note = event.target.value; draft(); } });
    note.value = current.note;
    return [...blocks, make("div", { class: "extras" },
      simple() ? null : make("button", { type: "button", class: "send", id: "send", "aria-keyshortcuts": "Enter", onclick: once(() => submit("label")) }, "Send"),
      make("label", { class: "line", "aria-keyshortcuts": "u" }, unsure, "unsure ", make("kbd", {}, "u")),
      skipButton(),
      make("button", { type: "button", id: "undo", "aria-keyshortcuts": "z", onclick: once(undo) }, "Take back ", make("kbd", {}, "z"))),
      make("label", { class: "wide" }, "Note ", make("kbd", {}, "n"), note),
      make("div", { id: "skipping" })];
  }

  const skipButton = () => make("button", { type: "button", id: "skip", "aria-keyshortcuts": "s", onclick: skipping }, "Skip ", make("kbd", {}, "s"));

  const once = (what) => (event) => { if (event.detail <= 1) what(event); };  // the second click of a double click is none

  function block(question, at) {
    const name = question.name, said = current.said;
    const asks = question.asks.split("\n\n");
    const box = (...children) => make("fieldset", { class: "question", "data-at": at },
      make("legend", {}, ...asks.slice(0, -1).map((text) => make("span", { class: "before-it" }, text)), asks.at(-1)), ...children);
    if (["choice", "scale", "pair"].includes(question.kind)) {
      const tall = question.options.some(([, says]) => says), keys = keysOf(question);
      return box(make("div", { class: `choices ${tall ? "tall" : ""}` }, ...question.options.map(([option, says], place) => {
        const text = question.kind === "pair" ? PAIR[option] : option;
        const key = keys[place];
        const inside = [key === null ? null : make("kbd", {}, key), make("span", { class: "name" }, text), says ? make("span", { class: "says" }, says) : null];
        const chosen = said[name] !== undefined && String(said[name]) === option;
        if (simple()) return make("button", { type: "button", class: `choice ${chosen ? "before" : ""}`, "data-value": option, "aria-keyshortcuts": key,
          onclick: once(() => { said[name] = option; submit("label"); }) }, ...inside);
        const radio = make("input", { type: "radio", name: `q${at}`, value: option, onchange: () => { said[name] = option; draft(); } });
        radio.checked = chosen;
        return make("label", { class: "choice" }, radio, ...inside);
      })));
    }
    if (question.kind === "number") {
      const input = make("input", { type: "number", min: question.low, max: question.high, step: question.step, "aria-label": question.asks,
        oninput: () => { said[name] = input.value === "" ? undefined : Number(input.value); draft(); } });
      input.value = said[name] ?? "";
      return box(make("p", {}, input, ` from ${question.low} to ${question.high}`), ...(question.says || []).map((text) => make("p", { class: "soft" }, text)));
    }
    if (question.kind === "checklist") {
      const points = current.task.points[name] || [];
      if (!Array.isArray(said[name]) || said[name].length !== points.length) said[name] = points.map(() => false);
      return box(make("div", { class: "choices tall" }, ...points.map((point, place) => {
        const tick = make("input", { type: "checkbox", onchange: () => { said[name][place] = tick.checked; draft(); } });
        tick.checked = said[name][place];
        return make("label", { class: "choice" }, tick, place < 9 ? make("kbd", {}, String(place + 1)) : null, make("span", {}, point));
      })));
    }
    return codes(question, box);
  }

  function codes(question, box) {  // kinds of failure: a list that grows
    const name = question.name;
    current.said[name] ??= [];
    const list = make("div", { class: "choices" });
    const known = new Map(work.kinds.map(([kind, says]) => [kind, says]));
    for (const kind of current.said[name]) if (!known.has(kind)) known.set(kind, "");
    const fill = () => list.replaceChildren(...[...known].map(([kind, says], place) => {
      const tick = make("input", { type: "checkbox", onchange: () => {
        current.said[name] = tick.checked ? [...current.said[name], kind] : current.said[name].filter((one) => one !== kind);
        draft();
      } });
      tick.checked = current.said[name].includes(kind);
      return make("label", { class: "choice" }, tick, place < 9 ? make("kbd", {}, String(place + 1)) : null, make("span", { class: "name" }, kind), says ? make("span", { class: "says" }, says) : null);
    }));
    const input = make("input", { type: "text", maxlength: 60, id: "kind", onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); event.stopPropagation();
      const kind = input.value.replace(/[,;|]/g, " ").trim().replace(/\s+/g, " ");
      if (!kind) { input.blur(); return; }
      const same = [...known.keys()].find((one) => one.toLowerCase().replace(/[-_]/g, " ") === kind.toLowerCase().replace(/[-_]/g, " ")) ?? kind;
      known.set(same, known.get(same) ?? "");
      if (!work.kinds.some(([one]) => one === same)) work.kinds.push([same, ""]);
      if (!current.said[name].includes(same)) current.said[name] = [...current.said[name], same];
      input.value = "";
      fill(); draft();
    } });
    fill();
    return box(list, make("label", { class: "wide" }, "Another kind, then Enter (a to write; none chosen: nothing went wrong) ", input));
  }

  function draft() {
    current.touched = true;
    shelf.set(`d:${current.task.place}`, { said: current.said, unsure: current.unsure, note: current.note });
  }

  function skipping() {
    const place = $("skipping");
    if (!place) return;
    const other = make("input", { type: "text", maxlength: 400, id: "why", "aria-label": "Another reason",
      onkeydown: (event) => { if (event.key === "Enter" && other.value.trim()) { event.preventDefault(); event.stopPropagation(); submit("skip", other.value.trim()); } } });
    const reasons = ["I do not know the subject", "The text is broken or cut", "The question does not fit"];
    place.replaceChildren(make("div", { class: "panel", role: "group", "aria-label": "Why is it skipped?" }, make("p", {}, "Why is it skipped?"),
      make("div", { class: "choices" }, ...reasons.map((reason, at) => make("button", { type: "button", class: "choice reason", onclick: once(() => submit("skip", reason)) },
        make("kbd", {}, String(at + 1)), reason))),
      make("label", { class: "wide" }, "Another reason, then Enter ", other)));
    place.querySelector("button").focus();
  }

  // ---- saying it

  function complete() {
    const open = asked().find((one) => current.said[one.name] === undefined);
    if (open) { say(`Not answered yet: ${open.asks.split("\n\n").at(-1)}`, true); return false; }
    return true;
  }

  async function submit(kind, reason = "") {
    if (!current || busy) return;
    const { task } = current, reference = form.questions.find((one) => one.kind === "reference");
    if (kind === "reference" && !(current.said[reference.name] || "").trim()) { say("Write it first.", true); $("reference").focus(); return; }
    if (kind === "label" && !complete()) return;
    const names = form.questions.filter((one) => (one.kind === "reference") === (kind === "reference")).map((one) => one.name);
    const said = kind === "skip" ? {} : Object.fromEntries(names.map((name) => [name, current.said[name]]));
    const event = { id: current.id, place: task.place, kind, said, unsure: current.unsure, note: current.note, reason,
      seconds: Math.round(seconds() * 10) / 10, rubric: current.rubric, made: Date.now() };
    shelf.set(`e:${event.id}`, event);
    shelf.drop(`d:${task.place}`);
    say("");
    if (kind === "reference") return reveal(task);
    if (work.stage === "training") { busy = true; const sent = await flush(); busy = false; if (!sent) return say("The training needs the network. Trying again.", true); return; }
    if (!current.review) { past.push(task.place); did.add(task.place); work.done++; took.push(event.seconds); took.splice(0, took.length - 15); }
    work.tasks = work.tasks.filter((one) => one.place !== task.place);
    flush();
    await next();
  }

  async function reveal(task) {
    busy = true;
    try {
      if (await flush()) show((await ask(`task?place=${task.place}&step=here`)).task);
      else say("The answer is shown when the network is back.", true);
    } catch { say("The answer is shown when the network is back.", true); }
    busy = false;
  }

  function seconds() {  // only while the page is looked at
    return (current.shown + (document.hidden ? 0 : performance.now() - current.began)) / 1000;
  }
  document.addEventListener("visibilitychange", () => {
    if (!current) return;
    if (document.hidden) current.shown += performance.now() - current.began;
    else current.began = performance.now();
  });

  async function next() {
    const done = new Set(waiting().filter((event) => event.kind !== "undo").map((event) => event.place));
    work.tasks = work.tasks.filter((task) => !done.has(task.place));
    if (work.tasks.length < 12 && work.done + work.tasks.length < work.total) {
      const refill = fetchWork().catch(() => { away = true; count(); });
      if (!work.tasks.length) await refill;
    }
    if (work.tasks.length) show(work.tasks[0]);
    else finish();
  }

  function finish() {
    current = null;
    const left = waiting().length;
    const lost = work.done < work.total;
    $("task").replaceChildren(make("h2", {}, lost ? "Waiting for the network" : work.stage === "settle" ? "Nothing is open" : "All done"),
      make("p", {}, lost ? "The next answers come when it is back; what you said is kept here." : left ? "Keep this page open until everything has been sent." : "Thank you. You can close this page, or look back."),
      make("p", {}, make("button", { type: "button", id: "undo", onclick: once(undo) }, "Take back the last ", make("kbd", {}, "z")), " ",
        make("button", { type: "button", onclick: () => step("back") }, "Look back ", make("kbd", {}, "k"))));
    count();
    $("task").focus();
    if (!lost) return;
    if (!away && !left) did.clear();  // taken back in another window
    setTimeout(() => { if (!current) next(); }, pause);
  }

  async function undo() {
    const place = past.pop() ?? (current ? await placeBefore() : await lastPlace());
    if (place === null || place === undefined) return say("There is nothing to take back.");
    const event = { id: newId(), place, kind: "undo", said: {}, unsure: false, note: "", reason: "", seconds: null, rubric: form.rubric, made: Date.now() };
    shelf.set(`e:${event.id}`, event);
    work.done = Math.max(0, work.done - 1);
    did.delete(place);
    await flush();
    try {
      const { task } = await ask(`task?place=${place}&step=here`);
      if (task) { work.tasks = [task, ...work.tasks.filter((one) => one.place !== place)]; show(task); say("Taken back. Say it anew."); }
    } catch { say("It is taken back; it is shown again when the network is here.", true); }
  }

  async function placeBefore() {
    try { const { task } = await ask(`task?place=${current.task.place}&step=back`); return task?.before && task.before.kind !== "undo" ? task.place : null; } catch { return null; }
  }
  async function lastPlace() {
    try { const { task } = await ask("task?place=99999999999&step=back"); return task?.before && task.before.kind !== "undo" ? task.place : null; } catch { return null; }
  }

  async function step(way) {
    if (busy) return;
    try {
      const { task } = await ask(`task?place=${current ? current.task.place : 99999999999}&step=${way}`);
      if (!task) return say(way === "back" ? "This is the first." : "This is the last.");
      if (!task.before && way === "forward") return next();
      show(task, Boolean(task.before));
    } catch { say("Looking back needs the network.", true); }
  }

  // ---- training

  function feedback(told) {
    const last = told.feedback.at(-1);
    if (!last) return;
    const done = told.training;
    const go = make("button", { type: "button", class: "send", id: "go", onclick: once(async () => { busy = true; try { await fetchWork(); } finally { busy = false; } await next(); }) }, "Go on ", make("kbd", {}, "Enter"));
    const panel = make("div", { class: "panel", role: "group", "aria-label": "Training" },
      make("p", { class: last.right ? "right" : "wrong" }, last.right ? "As it was meant." : `Meant was: ${Object.values(last.known).join(", ")}`),
      done ? make("p", {}, `${done.right} of ${done.of} as meant; ${Math.ceil(done.mark * done.of - 1e-9)} are needed. ${done.passed ? "The labelling begins." : "Another round follows."}`) : null, go);
    $("skipping").replaceChildren(panel);
    go.focus();
  }

  // ---- what is said below the header

  function say(text, warn = false) {
    $("status").textContent = text;
    $("status").className = warn ? "warn" : "";
  }

  function count() {
    const left = waiting().length;
    $("progress").max = Math.max(1, work.total);
    $("progress").value = work.done;
    const usual = took.length < 5 ? null : [...took].sort((a, b) => a - b)[took.length >> 1];
    const minutes = usual === null ? 0 : (usual * (work.total - work.done)) / 60;
    $("count").textContent = `${work.done} of ${work.total}${usual === null || work.done >= work.total ? "" : `, ${minutes < 1 ? "under a minute" : `about ${Math.round(minutes)} min`} left`}`;
    if (away && left) say(`No connection. ${left === 1 ? "1 answer is" : `${left} answers are`} kept in this browser and sent when it is back.`, true);
    else if ($("status").textContent.startsWith("No connection")) say("");
    document.body.dataset.waiting = left;
  }

  // ---- keys

  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const typing = /^(TEXTAREA|SELECT)$/.test(event.target.tagName) || (event.target.tagName === "INPUT" && !/^(radio|checkbox)$/.test(event.target.type));
    if (event.key === "Escape") { $("skipping")?.replaceChildren(); $("keys").hidden = true; event.target.blur?.(); $("task").focus({ preventScroll: true }); return; }
    if (typing) return;
    const press = (button) => { if (button) { event.preventDefault(); button.click(); } };
    if (event.key === "?") { event.preventDefault(); return help(); }
    const panel = $("skipping")?.querySelector(".panel");
    if (panel) {
      if (event.key === "Enter" && event.target.tagName !== "BUTTON") press($("go"));
      else if (/^[1-9]$/.test(event.key)) press(panel.querySelectorAll("button.reason")[event.key - 1]);
      return;
    }
    if (event.key === "z") { event.preventDefault(); return undo(); }
    if (event.key === "k" || event.key === "ArrowLeft") { if (event.target.type !== "radio") { event.preventDefault(); step("back"); } return; }
    if (!current) return;
    if (event.key === "j" || event.key === "ArrowRight") { if (event.target.type !== "radio") { event.preventDefault(); step("forward"); } return; }
    if (event.key === "s") { event.preventDefault(); return skipping(); }
    if (event.key === "n") { event.preventDefault(); return $("note")?.focus(); }
    if (event.key === "u") { return press($("unsure")); }
    if (event.key === "m") { for (const more of document.querySelectorAll("button.more")) more.click(); return; }
    if (event.key === "a" && $("kind")) { event.preventDefault(); return $("kind").focus(); }
    if (event.key === "Enter" && event.target.tagName !== "BUTTON") return press($("send"));
    choose(event, press);
  }

  function choose(event, press) {
    const boxes = [...document.querySelectorAll("fieldset.question")];
    if (!boxes.length) return;
    const focused = event.target.closest?.("fieldset.question");
    const at = focused ? boxes.indexOf(focused) : Math.max(0, boxes.findIndex((box) => Number(box.dataset.at) >= current.active));
    const question = asked()[at];
    const options = [...boxes[at].querySelectorAll(".choice")];
    const pressed = event.key.toLowerCase();
    const listed = ["choice", "scale", "pair"].includes(question.kind);
    let option = listed ? options[keysOf(question).indexOf(pressed)] : /^[1-9]$/.test(pressed) ? options[pressed - 1] : null;
    if (!option && question.kind === "choice") {
      const fits = question.options.map(([name], place) => [name.toLowerCase(), place]).filter(([name]) => name.startsWith(pressed));
      if (pressed.length === 1 && fits.length === 1) option = options[fits[0][1]];
    }
    if (!option) return;
    press(option.querySelector("input") || option);
    if (!simple() && listed) activate(boxes, at + 1);
  }

  function activate(boxes, at) {
    current.active = Math.min(at, boxes.length - 1);
    boxes.forEach((box, place) => box.classList.toggle("active", boxes.length > 1 && place === current.active));
    $("task").focus({ preventScroll: true });
  }

  function help() {
    $("keys").hidden = !$("keys").hidden;
    $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
  }

  addEventListener("keydown", key);
  $("help").addEventListener("click", help);
  work.done += waiting().filter((event) => event.kind !== "undo" && event.kind !== "reference").length;
  flush();
  next();
})();
