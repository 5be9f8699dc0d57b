// Words.
const time = (entry) => entry.at.replace("T", " ").replace(/\.\d+Z$/, " UTC").replace(/Z$/, " UTC");
const minute = (entry) => time(entry).replace(/:\d\d UTC$/, " UTC");
const origin = (entry) => `#${entry.seq} · ${entry.author}${entry.step ? ` at ${entry.step}` : ""} · ${minute(entry)}`;
/** As narrow as it can be: the day stands only where it is another than that of the row above. */
const brief = (entry, above) => {
  const [day, clock] = minute(entry).replace(/ UTC$/, "").split(" ");
  const when = above && minute(above).startsWith(day) ? clock : `${day} ${clock}`;
  return `#${entry.seq} · ${when} · ${entry.author}${entry.step ? ` at ${entry.step}` : ""}`;
};
const isOfBaton = (entry) => ["patch", "baton"].includes(entry.kind);
const saysOf = (entry) => isOfBaton(entry) ? entry.says : `${entry.key}: ${entry.says}`;
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
    const carries = (seq) => isOfBaton(bySeq.get(seq)) ? 0 : 1;
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
  const widest = Math.min([...lane.values()].reduce((most, own) => Math.max(most, own), 0), LANES_MAX);
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
    pressed.title = seen(`${saysOf(entry)}\n${origin(entry)}`);
    pressed.append(make("span", "says", saysOf(entry)), make("span", "origin", brief(entry, rows[row - 1])));
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
