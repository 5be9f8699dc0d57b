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
  const words = [`${isGone ? "brought in by " : ""}${origin(revisions[isGone ? item.brought : item.changed].entry)}`];
  if (by.length > 0) words.unshift(`superseded by ${by.map((other) => other.key).join(", ")}`);
  if (isGone) words.unshift(`removed by ${origin(revisions[at + 1].entry)}`);
  element.append(make("span", "origin", words.join(" · ")));
  row.append(element);
  return row;
}

// The tokens.
function chart() {
  const counts = revisions.map((revision) => revision.entry.tokens);
  const most = counts.reduce((most, count) => Math.max(most, count ?? 0), 1);
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
