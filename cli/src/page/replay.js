// What the page is told, and the baton at every revision.

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
