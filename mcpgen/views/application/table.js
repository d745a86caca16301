// A list of items as a table: sorted and filtered here, its next page from the tool.

const MOST_COLUMNS = 6, MOST_AT_ONCE = 200;
const FIRST = ["name", "title", "displayname", "fullname", "subject", "summary", "login", "id", "number", "status", "state", "type", "date", "createdat", "updatedat", "total", "amount", "email", "htmlurl", "url"];
const plain = (name) => name.toLowerCase().replace(/[^a-z\d]/g, "");
const rank = (name) => (FIRST.indexOf(plain(name)) + FIRST.length + 1) % (FIRST.length + 1);

const isObject = (value) => Boolean(value) && typeof value === "object" && !Array.isArray(value);

/** All texts, numbers and names of states in a value, in which the filter of a table searches. */
const wordsOf = (value) => (value && typeof value === "object" ? Object.values(value).map(wordsOf).join("\n") : String(value ?? ""));

/** The columns of a view that some item has, else those that the items suggest. */
function columnsOf(items, view) {
  const objects = items.filter(isObject);
  const named = (view.columns || []).filter((column) => objects.some((each) => at(each, column.name) !== undefined));
  if (named.length) return view.kind === "card" ? named.slice(0, MOST_COLUMNS) : named;
  const names = new Set(objects.slice(0, 50).flatMap((each) => Object.keys(each).filter((name) => typeof each[name] !== "object")));
  const states = new Set(["status", "state"]);
  return [...names].sort((one, other) => rank(one) - rank(other)).slice(0, MOST_COLUMNS).map((name) => ({ name, shows: states.has(plain(name)) ? "badge" : undefined }));
}

/** `next`, `former`: functions that go to the next and to the former page, or null. */
function table(items, view, title, { next, former, page }) {
  const columns = columnsOf(items, view), objects = items.filter(isObject);
  const rows = items.map((item, index) => ({ item, index, words: wordsOf(item).toLowerCase() }));
  const sorted = { column: null, down: false };
  const body = el("tbody", { role: "rowgroup" }), more = el("p", { class: "more" });
  const count = el("p", { class: "quiet", role: "status" });
  const search = el("input", { type: "search", id: freshId("filter"), autocomplete: "off", input: () => fill() });
  const heads = (columns.length ? columns : [{ name: "" }]).map((column, index) => head(column, sorted, index ? objects : [], () => fill()));

  function fill() {
    const wanted = search.value.trim().toLowerCase();
    const fitting = rows.filter(({ words }) => words.includes(wanted));
    if (sorted.column) fitting.sort((one, other) => compared(at(one.item, sorted.column.name), at(other.item, sorted.column.name)) * (sorted.down ? -1 : 1) || one.index - other.index);
    fillRows(body, fitting, MOST_AT_ONCE, ({ item }) => row(item, columns), more);
    for (const [index, each] of columns.length ? heads.entries() : []) each.setAttribute("aria-sort", sorted.column === columns[index] ? (sorted.down ? "descending" : "ascending") : "none");
    count.textContent = (wanted ? numbered(fitting.length) + " of " : "") + counted(rows.length, "row") + (page > 1 || next ? " on page " + page : "");
  }

  fill();
  const turning = (next || former) && el("div", { class: "pages", role: "group", "aria-label": "Pages" }, button("Previous page", former, { disabled: !former }), button("Next page", next, { disabled: !next }));
  return el("section", { class: "list" },
    el("div", { class: "tools" }, el("h1", {}, title), rows.length > 1 && el("div", { class: "filter" }, el("label", { for: search.id }, "Filter"), search)),
    rows.length
      ? el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, el("table", { role: "table" }, el("caption", { class: "unseen" }, title), el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads)), body), more)
      : el("p", { class: "empty" }, "The list is empty."),
    el("div", { class: "foot" }, count, turning));
}

function head(column, sorted, items, fill) {
  if (!column.name) return el("th", { scope: "col", role: "columnheader" }, "Value");
  const isNumeric = isNumber(column) && items.length > 0 && items.every((each) => typeof (at(each, column.name) ?? 0) === "number" || ["money", "cents"].includes(column.shows));
  const sort = () => {
    sorted.down = sorted.column === column && !sorted.down;
    sorted.column = column;
    fill();
  };
  return el("th", { scope: "col", role: "columnheader", "aria-sort": "none", class: isNumeric ? "numeric" : undefined }, button(worded(label(column.name)), sort, { class: "sort" }));
}

/** Whether numbers of a column are amounts, which stand one above the other, and no names such as ids. */
const isNumber = (column) => !["seconds", "milliseconds", "badge"].includes(column.shows) && !PLAIN_NUMBER.test(column.name);

/** The member that names a column: of `owner.login`, the owner. */
const label = (path) => (/\.(name|title|login|label|display_?name|full_?name|user_?name|id)$/i.test(path) ? path.slice(0, path.lastIndexOf(".")) : path);

function row(item, columns) {
  if (!isObject(item)) return el("tr", { role: "row" }, el("td", { role: "cell", class: "alone", colspan: Math.max(1, columns.length) }, Array.isArray(item) && item.length ? opener(item, "") : shown(item, { name: "" }, {})));
  const cells = columns.map((column, index) => {
    const node = shown(at(item, column.name), column, holder(item, column.name));
    const attributes = { role: index ? "cell" : "rowheader", scope: index ? undefined : "row", "data-label": worded(label(column.name)), class: index && node.classList.contains("number") && isNumber(column) ? "numeric" : undefined };
    if (index) return el("td", attributes, node);
    return el("th", attributes, opener(item, "", node));
  });
  return el("tr", { role: "row" }, cells.length ? cells : el("td", { role: "cell" }, opener(item, "")));
}

/** The object in which the last name of a path stands. */
const holder = (item, path) => (path.includes(".") && !Object.hasOwn(item, path) ? at(item, path.slice(0, path.lastIndexOf("."))) : item);

function compared(one, other) {
  const [left, right] = [order(one), order(other)];
  if (left === "" || right === "") return (left === "") - (right === "");
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left).localeCompare(String(right), language(), { numeric: true, sensitivity: "base" });
}
