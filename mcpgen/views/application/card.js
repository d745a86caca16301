// One item as a card: its name and states, its fields, and sections for what is inside of it.

const MOST_ROWS = 20, MOST_DEPTH = 3, LONGEST_TEXT = 600;

function card(item, view, title, above) {
  if (!item || typeof item !== "object" || !Object.keys(item).length) return el("section", { class: "card" }, el("h1", {}, title), above, el("p", { class: "lines" }, isNothing(item) || typeof item === "object" ? "The answer is empty." : shown(item, { name: "" }, {}, true)));
  if (Array.isArray(item)) return el("section", { class: "card" }, el("h1", {}, title), above, inside(item, "", 1));
  const columns = (view.columns || []).filter((column) => at(item, column.name) !== undefined);
  const known = columns.length ? columns : columnsOf([item], {});
  const called = known.find((column) => typeof at(item, column.name) === "string" && !isNothing(at(item, column.name)) && /name|title|subject|summary|login|label|^(number|key|code|id)$/i.test(column.name) && !column.name.includes("."));
  const badges = known.filter((column) => column.shows === "badge" && typeof at(item, column.name) === "string" && !isNothing(at(item, column.name))).slice(0, 3);
  const first = known.filter((column) => column !== called && !badges.includes(column));
  const covered = new Set(known.map((column) => column.name.split(".")[0]));
  const others = Object.keys(item).filter((name) => !covered.has(name));
  const scalars = others.filter((name) => !isRich(item[name])), rich = Object.keys(item).filter((name) => isRich(item[name]));
  const more = scalars.filter((name) => !isNothing(item[name]));
  return el("section", { class: "card" },
    called && el("p", { class: "kind" }, title),
    el("h1", {}, called ? String(at(item, called.name)).slice(0, 300) : title, badges.map((column) => [" ", shown(at(item, column.name), column, item)])),
    above,
    fields(first, item),
    more.length > 0 && el("details", { open: first.length < 4 }, el("summary", {}, "More fields"), fields(more.map((name) => ({ name })), item)),
    rich.map((name) => part(name, item[name], 1)));
}

/** A section for what is inside of an item. It is closed if it is long, or inside of another. */
function part(name, value, depth) {
  const isLong = depth > 1 || (Array.isArray(value) ? value.length > MOST_ROWS : Object.keys(value).length > 8 || Object.values(value).some(isRich));
  const content = inside(value, name, depth);
  if (!isLong) return el("section", { class: "inner" }, el("h2", {}, worded(name)), content);
  return el("details", { class: "inner" }, el("summary", {}, worded(name), el("span", { class: "quiet" }, " " + brief(value))), content);
}

/** Whether a value needs a section of its own: an object with members, or a list of objects. */
const isRich = (value) => Boolean(value) && typeof value === "object" && (Array.isArray(value) ? value.some((each) => each && typeof each === "object") : Object.keys(value).length > 0);

function fields(columns, item) {
  if (!columns.length) return null;
  return el("dl", {}, columns.map((column) => {
    const value = at(item, column.name);
    const isLong = typeof value === "string" && (value.length > (ADDRESS.test(value) ? 34 : 80) || value.includes("\n"));
    return el("div", { class: isLong ? "long" : undefined }, el("dt", {}, worded(label(column.name))), el("dd", {}, folded(value, shown(value, column, holder(item, column.name), true))));
  }));
}

/** A long text behind a summary, any other value as it is. */
function folded(value, node) {
  if (typeof value !== "string" || value.length <= LONGEST_TEXT) return node;
  return el("details", {}, el("summary", {}, value.slice(0, 120) + "\u2026"), el("div", { class: "lines" }, value));
}

function inside(value, name, depth) {
  if (Array.isArray(value)) {
    const columns = columnsOf(value, {}), body = el("tbody", {}), more = el("p", { class: "more" });
    const cells = (each) => columns.map((column, index) => ({ node: shown(at(each, column.name), column, each), index }));
    const line = (each) => el("tr", {}, isObject(each) && columns.length ? cells(each).map(({ node, index }) => el("td", {}, index ? node : opener(each, name, node))) : el("td", { colspan: Math.max(1, columns.length) }, shown(each, { name }, {}, true)));
    fillRows(body, value, MOST_ROWS, line, more);
    return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": worded(name || "list") },
      el("table", { class: "small" }, columns.length > 0 && el("thead", {}, el("tr", {}, columns.map((column) => el("th", { scope: "col" }, worded(column.name))))), body), more);
  }
  const names = Object.keys(value), plainNames = names.filter((each) => !isRich(value[each]));
  return el("div", {}, fields(plainNames.map((each) => ({ name: each })), value), names.filter((each) => isRich(value[each])).map((each) => (depth < MOST_DEPTH ? part(each, value[each], depth + 1) : fields([{ name: each }], value))));
}
