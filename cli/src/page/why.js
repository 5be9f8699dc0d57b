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
  const removed = revisions.find((_, later) => later > at && itemAt(later, field, key) === undefined);
  if (removed) pair(list, "Removed by", link(removed.entry));
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
  if (entry.patch) parts.push(whole("The patch as it was merged (lowered: every list whole, new decisions with their ids)", entry.patch));
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
