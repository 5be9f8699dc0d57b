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
