"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const entries = data.entries;
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const ROWS_MAX = 200;
  const ITEMS_MAX = 60;
  const LANES_MAX = 9;
  const ROW_HEIGHT = 56;
  const KEYS = new Map([["decision_log", "id"], ["artifacts", "name"], ["acceptance", "check"]]);
  const STRINGS = new Set(["current_state", "constraints", "open_questions", "work_scope"]);
  const ORDER = ["constraints", "acceptance", "work_scope", "decision_log", "artifacts", "open_questions"];

  // Whatever a baton says is text: it comes into the page by textContent alone.
  const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
  const seen = (text) => String(text).replace(HIDDEN, (sign) =>
    sign === "\n" || sign === "\t" ? sign : `\\u{${sign.codePointAt(0).toString(16)}}`);
  const byId = (id) => document.getElementById(id);
  function make(tag, look, text) {
    const element = document.createElement(tag);
    if (look) element.className = look;
    if (text !== undefined) element.textContent = seen(text);
    return element;
  }
  function draw(tag, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    return element;
  }
  function button(look, press) {
    const element = make("button", look);
    element.type = "button";
    element.addEventListener("click", press);
    return element;
  }

  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  function merge(target, patch) {
    if (!isObject(patch)) return patch;
    // Without a prototype no name means anything.
    const merged = Object.assign(Object.create(null), isObject(target) ? target : null);
    for (const name of Object.keys(patch)) {
      if (patch[name] === null) delete merged[name];
      else merged[name] = merge(merged[name], patch[name]);
    }
    return merged;
  }
  function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
    if (!isObject(value)) return JSON.stringify(value);
    return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
  }

  // The baton at every revision: the items of each field by key, each with the revisions that brought it in and changed
  // it last. Fields that a patch does not name are shared, and there is one decision log, which only grows.
  const revisions = [];
  const decisions = [];
  const superseding = new Map();
  /** The items that `value` has, those that stood already as they were. */
  function itemsIn(field, value, old, at) {
    const items = new Map();
    const isList = KEYS.has(field) || STRINGS.has(field);
    for (const item of isList ? (Array.isArray(value) ? value : []) : [value]) {
      const key = !isList ? "" : STRINGS.has(field) ? item : isObject(item) ? item[KEYS.get(field)] : undefined;
      if (typeof key !== "string" || items.has(key)) continue;
      const known = old?.get(key);
      const stays = known !== undefined && canonical(known.value) === canonical(item);
      items.set(key, stays ? known : { key, value: item, brought: known?.brought ?? at, changed: at });
    }
    return items;
  }
  function begins(baton) {
    const fields = new Map();
    for (const field of Object.keys(baton)) {
      if (field === "decision_log") decide(baton[field], 0);
      else if (field !== "stamp") fields.set(field, itemsIn(field, baton[field], undefined, 0));
    }
    return fields;
  }
  function patched(before, patch, at) {
    const fields = new Map(before);
    for (const field of Object.keys(patch)) {
      const old = before.get(field);
      if (field === "decision_log") decide(patch[field], at);
      else if (patch[field] === null) fields.delete(field);
      else fields.set(field, itemsIn(field, merge(old?.get("")?.value, patch[field]), old, at));
    }
    return fields;
  }
  function decide(added, at) {
    for (const value of Array.isArray(added) ? added : []) {
      const key = String(value.id);
      decisions.push({ key, value, brought: at, changed: at });
      for (const id of [value.supersedes ?? []].flat()) superseding.set(id, [...(superseding.get(id) ?? []), { key, at }]);
    }
  }
  for (const entry of entries) {
    const at = revisions.length;
    if (at === 0 ? !entry.baton : !entry.patch) continue;
    const fields = at === 0 ? begins(entry.baton) : patched(revisions[at - 1].fields, entry.patch, at);
    revisions.push({ entry, fields, decided: decisions.length });
  }
  function itemsOf(at, field) {
    if (at < 0) return [];
    if (field === "decision_log") return decisions.slice(0, revisions[at].decided);
    return [...(revisions[at].fields.get(field)?.values() ?? [])];
  }
  const itemAt = (at, field, key) => itemsOf(at, field).find((item) => item.key === key);

  const chosen = { at: revisions.length - 1, item: null, seq: null };

  // Words.
  const time = (entry) => entry.at.replace("T", " ").replace(/\.\d+Z$/, " UTC").replace(/Z$/, " UTC");
  const minute = (entry) => time(entry).replace(/:\d\d UTC$/, " UTC");
  const origin = (entry) => `#${entry.seq} · ${entry.author}${entry.step ? ` at ${entry.step}` : ""} · ${minute(entry)}`;
  const TITLES = new Map([["goal", "Goal"], ["current_state", "Current state"], ["decision_log", "Decisions"],
    ["constraints", "Constraints"], ["open_questions", "Open questions"], ["work_scope", "Work scope"], ["artifacts", "Artifacts"],
    ["acceptance", "Acceptance"]]);
  const title = (field) => TITLES.get(field) ?? field;
  const plain = (value) => typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const textOf = (field, item) => {
    if (field === "decision_log") return `${item.key}  ${plain(item.value.decision ?? "")}`;
    if (KEYS.has(field) || STRINGS.has(field)) return item.key;
    return plain(item.value);
  };

  // The graph: a row for each entry, newest first; each entry has a lane of its own from the first that was made of it.
  function graph(rows, press, current, lit) {
    const list = make("ol", "graph dim");
    const places = new Map(rows.map((entry, row) => [entry.seq, row]));
    const lanes = [];
    const lane = new Map();
    const edges = [];
    const reserve = (seq) => {
      if (lane.has(seq)) return;
      const free = lanes.indexOf(undefined);
      const own = free < 0 ? lanes.length : free;
      lanes[own] = seq;
      lane.set(seq, own);
    };
    rows.forEach((entry, row) => {
      reserve(entry.seq);
      const own = lane.get(entry.seq);
      lanes[own] = undefined;
      const carries = (seq) => ["patch", "baton"].includes(bySeq.get(seq).kind) ? 0 : 1;
      const sources = entry.from.filter((seq) => places.has(seq)).reverse().sort((one, two) => carries(one) - carries(two));
      // What carries the baton on stays in its lane.
      for (const seq of sources) {
        if (!lane.has(seq) && lanes[own] === undefined) {
          lanes[own] = seq;
          lane.set(seq, own);
        }
        reserve(seq);
        edges.push([row, own, places.get(seq), lane.get(seq), entry.seq, seq]);
      }
    });
    const widest = Math.min(Math.max(0, ...[...lane.values()]), LANES_MAX);
    const x = (number) => 12 + Math.min(number, LANES_MAX) * 16;
    const y = (row) => row * ROW_HEIGHT + ROW_HEIGHT / 2;
    const svg = draw("svg", { width: x(widest) + 12, height: rows.length * ROW_HEIGHT, "aria-hidden": "true" });
    const isLit = (seq) => lit.has(seq);
    for (const bright of [false, true]) {
      for (const [row, own, end, other, seq, source] of edges) {
        if ((isLit(seq) && isLit(source)) !== bright) continue;
        const turn = `C ${x(own)} ${y(row) + 30}, ${x(other)} ${y(row) + 26}, ${x(other)} ${y(row) + ROW_HEIGHT}`;
        const line = draw("path", { d: `M ${x(own)} ${y(row)} ${turn} V ${y(end)}` });
        if (bright) line.classList.add("lit");
        svg.append(line);
      }
    }
    rows.forEach((entry, row) => {
      const dot = draw("circle", { cx: x(lane.get(entry.seq)), cy: y(row), r: 5.5 });
      dot.classList.add(["patch", "baton", "fact"].includes(entry.kind) ? entry.kind : "other");
      if (entry.from.length === 0) dot.classList.add("root");
      if (!isLit(entry.seq)) dot.classList.add("off");
      svg.append(dot);
      const item = make("li", lit.has(entry.seq) ? "row lit" : "row");
      item.style.paddingLeft = `${x(widest) + 8}px`;
      const pressed = button("", () => press(entry));
      pressed.dataset.seq = entry.seq;
      if (entry.seq === current) pressed.setAttribute("aria-current", "true");
      pressed.append(make("span", "says", entry.says), make("span", "origin", origin(entry)));
      item.append(pressed);
      list.append(item);
    });
    list.prepend(svg);
    return list;
  }
  /** What entries rest on: the nearest first come in, the newest first are told. */
  function ancestors(starts, most) {
    const found = new Set(starts);
    const waiting = [...found];
    for (let next = 0; next < waiting.length && found.size < most; next += 1) {
      for (const seq of [...(bySeq.get(waiting[next])?.from ?? [])].reverse()) {
        if (bySeq.has(seq) && !found.has(seq) && found.size < most) {
          found.add(seq);
          waiting.push(seq);
        }
      }
    }
    return found;
  }
  const newestFirst = (seqs) => [...seqs].sort((one, two) => two - one).map((seq) => bySeq.get(seq));

  // The timeline.
  let shown = ROWS_MAX;
  function timeline(lit) {
    const rows = entries.slice(-shown).reverse();
    const parts = [graph(rows, chooseEntry, chosen.seq, lit)];
    if (rows.length < entries.length) {
      const more = button("all", () => { shown += ROWS_MAX * 5; timeline(lit); });
      more.textContent = `Show older entries (${entries.length - rows.length})`;
      parts.push(more);
    }
    byId("timeline").replaceChildren(...parts);
  }

  // The baton.
  const unfolded = new Set();
  function baton() {
    const { at } = chosen;
    const here = revisions[at];
    byId("scrub").value = at;
    byId("scrub").setAttribute("aria-valuetext", `revision ${here.entry.revision}`);
    byId("back").disabled = at === 0;
    byId("forth").disabled = at === revisions.length - 1;
    byId("revision").textContent = seen(`revision ${here.entry.revision} · ${origin(here.entry)}`);
    const before = at > 0 ? revisions[at - 1].fields : new Map();
    const others = new Set([...here.fields.keys(), ...before.keys()].filter((name) => !TITLES.has(name)));
    const parts = [];
    for (const field of ["goal", "current_state", ...ORDER, ...others]) {
      const items = itemsOf(at, field);
      const keys = new Set(items.map((item) => item.key));
      const gone = field === "decision_log" ? [] : itemsOf(at - 1, field).filter((item) => !keys.has(item.key));
      if (items.length === 0 && gone.length === 0) continue;
      const head = make("h3", "", title(field));
      if (items.length > 1) head.append(make("span", "", items.length));
      parts.push(head);
      const list = make("ul");
      const folded = unfolded.has(field) ? 0 : Math.max(0, items.length - ITEMS_MAX);
      if (folded > 0) {
        const more = button("all", () => { unfolded.add(field); baton(); });
        more.textContent = `Show the ${folded} before`;
        parts.push(more);
      }
      for (const item of items.slice(folded)) list.append(line(field, item, at));
      for (const item of gone) list.append(line(field, item, at - 1, true));
      parts.push(list);
    }
    byId("state").replaceChildren(...parts);
  }
  function line(field, item, at, isGone) {
    const row = make("li");
    const element = button("item", () => chooseItem(field, item.key, at));
    element.dataset.field = field;
    const { value } = item;
    const by = field === "decision_log" ? (superseding.get(item.key) ?? []).filter((other) => other.at <= at) : [];
    if (isGone) element.classList.add("gone");
    else if (at > 0 && item.changed === at) element.classList.add("new");
    if (by.length > 0) element.classList.add("superseded");
    const picked = chosen.item;
    const isPicked = picked !== null && picked.field === field && picked.key === item.key;
    element.setAttribute("aria-pressed", String(isPicked));
    const says = make("span", !KEYS.has(field) && !STRINGS.has(field) && typeof value !== "string" ? "says value" : "says",
      textOf(field, item));
    if (field === "acceptance") {
      const status = String(value.status ?? "pending");
      says.prepend(make("span", status === "passed" ? "tag good" : status === "failed" ? "tag bad" : "tag", status));
    }
    element.append(says);
    const more = ["rationale", "uri", "summary", "evidence"].filter((name) => isObject(value) && KEYS.has(field) && value[name] !== undefined);
    if (more.length > 0) element.append(make("span", "more", more.map((name) => plain(value[name])).join("\n")));
    const words = [origin(revisions[item.changed].entry)];
    if (by.length > 0) words.unshift(`superseded by ${by.map((other) => other.key).join(", ")}`);
    if (isGone) words.unshift("removed at this revision");
    element.append(make("span", "origin", words.join(" · ")));
    row.append(element);
    return row;
  }

  // The tokens.
  function chart() {
    const counts = revisions.map((revision) => revision.entry.tokens);
    const most = Math.max(1, ...counts.map((count) => count ?? 0));
    const svg = byId("chart");
    svg.setAttribute("viewBox", `0 0 ${revisions.length * 10} 100`);
    const budget = data.budget <= most * 2 ? data.budget : 0;
    const top = Math.max(most, budget) * 1.05;
    const height = (count) => 100 * (count / top);
    const parts = [];
    if (revisions.length <= 150) {
      counts.forEach((count, at) => {
        const tall = count === null ? 100 : Math.max(2, height(count));
        const bar = draw("rect", { x: at * 10 + 1, y: 100 - tall, width: 8, height: tall });
        bar.classList.add("bar");
        if (count === null) bar.classList.add("gap");
        if (at === chosen.at) bar.classList.add("on");
        const told = draw("title", {});
        told.textContent = `revision ${revisions[at].entry.revision}: ${count ?? "over the budget"}`;
        bar.append(told);
        bar.addEventListener("click", () => chooseRevision(at));
        parts.push(bar);
      });
    } else {
      const points = counts.map((count, at) => `${at === 0 ? "M" : "L"} ${at * 10 + 5} ${100 - height(count ?? top)}`);
      const curve = draw("path", { d: points.join(" ") });
      curve.classList.add("curve");
      const mark = draw("line", { x1: chosen.at * 10 + 5, x2: chosen.at * 10 + 5, y1: 0, y2: 100 });
      mark.classList.add("mark");
      parts.push(curve, mark);
      svg.onclick = (event) => {
        const box = svg.getBoundingClientRect();
        const at = Math.floor(((event.clientX - box.left) / box.width) * revisions.length);
        chooseRevision(Math.min(revisions.length - 1, Math.max(0, at)));
      };
    }
    const base = draw("line", { x1: 0, x2: revisions.length * 10, y1: 100, y2: 100 });
    base.classList.add("base");
    parts.push(base);
    if (budget > 0) {
      const limit = draw("line", { x1: 0, x2: revisions.length * 10, y1: 100 - height(budget), y2: 100 - height(budget) });
      limit.classList.add("budget");
      parts.push(limit);
    }
    svg.replaceChildren(...parts);
    const count = counts[chosen.at];
    byId("chart-title").textContent =
      seen(`${count ?? "More than the budget of"} ${count === null ? data.budget : `of ${data.budget}`} tokens (${data.encoding}) at this revision`);
  }

  // The provenance.
  function pair(list, name, ...values) {
    const value = make("dd");
    value.append(...values);
    list.append(make("dt", "", name), value);
  }
  function link(entry) {
    const element = button("link", () => chooseEntry(entry));
    element.textContent = seen(origin(entry));
    return element;
  }
  function rests(starts) {
    let most = ROWS_MAX;
    const found = ancestors(starts, most);
    const place = make("div");
    const fill = () => {
      const rows = ancestors(starts, most);
      const parts = [graph(newestFirst(rows), chooseEntry, chosen.seq, rows)];
      if (rows.size >= most) {
        const more = button("all", () => { most *= 5; fill(); });
        more.textContent = "Show what these were made of";
        parts.push(more);
      }
      place.replaceChildren(...parts);
    };
    fill();
    const roots = [...found].filter((seq) => bySeq.get(seq).from.length === 0).length;
    const head = make("h3", "", "What it rests on");
    head.append(make("span", "", `${found.size < most ? "" : "the nearest "}${found.size} ${found.size === 1 ? "entry" : "entries"}, ${roots} made of nothing else`));
    return [head, place];
  }
  function whole(name, value) {
    const details = make("details");
    details.append(make("summary", "", name), make("pre", "", plain(value)));
    return details;
  }
  function whyItem() {
    const { field, key, at } = chosen.item;
    const item = itemAt(at, field, key);
    const [brought, changed] = [revisions[item.brought].entry, revisions[item.changed].entry];
    const parts = [make("p", "at", title(field)), make("p", "asked", textOf(field, item))];
    const list = make("dl");
    pair(list, "Brought in by", link(brought));
    if (changed !== brought) pair(list, "Changed by", link(changed));
    const next = revisions[at + 1];
    if (next && itemAt(at + 1, field, key) === undefined) pair(list, "Removed by", link(next.entry));
    parts.push(list);
    if (isObject(item.value)) parts.push(whole("All of it", item.value));
    const starts = [...new Set([changed.seq, brought.seq])];
    parts.push(...rests(starts));
    return { parts, starts };
  }
  function whyEntry() {
    const entry = bySeq.get(chosen.seq);
    const parts = [make("p", "at", `#${entry.seq} ${entry.kind} ${entry.key}`), make("p", "asked", entry.says)];
    const list = make("dl");
    pair(list, "By", make("span", "", entry.step ? `${entry.author} at ${entry.step}` : entry.author));
    pair(list, "When", make("span", "", time(entry)));
    pair(list, "Reference", make("span", "", entry.reference));
    pair(list, "Readers", make("span", "", readers(entry)));
    if (entry.declassified) pair(list, "Declassified", make("span", "", "its author let it be read by some who could not read all that it was made of"));
    parts.push(list);
    if (entry.patch) parts.push(whole("The patch, lowered", entry.patch));
    else if (entry.baton) parts.push(whole("The baton", entry.baton));
    else parts.push(whole("What it says", entry.data));
    parts.push(...rests([entry.seq]));
    return { parts, starts: [entry.seq] };
  }
  function readers(entry) {
    if (entry.readers.length === 1 && entry.readers[0] === "*") return "every agent of the task";
    return entry.readers.length === 0 ? "nobody but its author" : entry.readers.join(", ");
  }
  function why() {
    const { parts, starts } = chosen.item ? whyItem() : whyEntry();
    byId("provenance").replaceChildren(...parts);
    return ancestors(starts, Infinity);
  }

  // Choosing.
  function show() {
    const lit = why();
    timeline(lit);
    if (revisions.length === 0) return;
    baton();
    chart();
  }
  function toWhy() {
    const panel = byId("why");
    panel.scrollTop = 0;
    const box = panel.getBoundingClientRect();
    if (box.top < 0 || box.top > window.innerHeight * 0.6) panel.scrollIntoView({ block: "start" });
  }
  function keepFocus(change) {
    const held = document.activeElement;
    const mark = held && held.dataset ? { seq: held.dataset.seq, pressed: held.getAttribute("aria-pressed"), place: held.closest("#timeline, #state") } : {};
    change();
    if (!mark.place || document.contains(held)) return;
    const again = mark.seq ? `button[data-seq="${Number(mark.seq)}"]` : 'button[aria-pressed="true"]';
    mark.place.querySelector(again)?.focus({ preventScroll: true });
  }
  function chooseEntry(entry) {
    chosen.item = null;
    chosen.seq = entry.seq;
    const at = revisions.findIndex((revision) => revision.entry === entry);
    if (at >= 0) chosen.at = at;
    keepFocus(show);
    toWhy();
  }
  function chooseItem(field, key, at) {
    chosen.item = { field, key, at };
    chosen.seq = revisions[itemAt(at, field, key).changed].entry.seq;
    keepFocus(show);
    toWhy();
  }
  function chooseRevision(at) {
    chosen.at = at;
    chosen.item = null;
    chosen.seq = revisions[at].entry.seq;
    keepFocus(show);
  }

  function begin() {
    byId("board").textContent = seen(`Task ${data.task} of tenant ${data.tenant}`);
    const facts = [["Entries", entries.length]];
    if (revisions.length > 0) {
      const goal = itemAt(revisions.length - 1, "goal", "").value;
      byId("goal").textContent = seen(goal);
      document.title = seen(goal);
      const last = revisions.at(-1).entry;
      facts.push(["Revision", last.revision], ["Agents", new Set(entries.map((entry) => entry.author)).size],
        ["Begun", time(entries[0])], ["Last entry", time(entries.at(-1))]);
    }
    if (data.head) facts.push(["Head", `${data.head.slice(0, data.head.lastIndexOf(":") + 13)}…`]);
    for (const [name, value] of facts) {
      const fact = make("li", "", `${name} `);
      fact.append(make("b", "", value));
      byId("facts").append(fact);
    }
    if (entries.length === 0) {
      byId("provenance").replaceChildren(make("p", "empty", "The board has no entry yet."));
      return;
    }
    const scrub = byId("scrub");
    scrub.max = Math.max(0, revisions.length - 1);
    scrub.addEventListener("input", () => chooseRevision(Number(scrub.value)));
    byId("back").addEventListener("click", () => chooseRevision(Math.max(0, chosen.at - 1)));
    byId("forth").addEventListener("click", () => chooseRevision(Math.min(revisions.length - 1, chosen.at + 1)));
    chosen.seq = (revisions.at(-1)?.entry ?? entries.at(-1)).seq;
    show();
  }
  begin();
})();
