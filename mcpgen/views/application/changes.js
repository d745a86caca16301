// What a call will change: the state before it, from the tool that reads the same path, beside the arguments.

const NEW = Symbol("no state before");

/** The state that a call changes, as the reading tool of the view returns it; NEW if it cannot be read. */
async function stateBefore(view, args) {
  if (!view.before || !host.can.serverTools) return NEW;
  const given = {};
  for (const [theirs, ours] of Object.entries(view.given || {})) {
    if (args[ours] === undefined) return NEW;
    given[theirs] = args[ours];
  }
  try {
    const found = read(await call(view.before, given));
    return found.failed || !found.value || typeof found.value !== "object" ? NEW : { value: objectIn(found.value, found.view || {}), view: found.view || {} };
  } catch {
    return NEW;
  }
}

/** A panel that says what a call does. `state`: what `stateBefore` gave. */
function changes(view, args, state, title, actions) {
  const id = freshId("changes"), fixed = new Set(Object.values(view.given || {}));
  const removes = view.method === "DELETE";
  const target = Object.entries(args).filter(([name]) => fixed.has(name) || (removes && state === NEW));
  const rows = removes ? [] : Object.entries(args).filter(([name]) => !fixed.has(name)).flatMap(([name, value]) => changed(name, value, state));
  return el("section", { class: "changes " + (removes ? "removes" : ""), "aria-labelledby": id },
    el("h2", { id }, removes ? "This will be deleted" : state === NEW ? "This will be sent" : "This will change"),
    target.length > 0 && el("p", { class: "quiet" }, target.map(([name, value], index) => [index ? ", " : "", worded(name) + ": " + String(typeof value === "object" ? JSON.stringify(value) : value)])),
    removes && state !== NEW && lost(state),
    rows.length > 0 && el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Changes" }, el("table", { class: "small" }, el("caption", { class: "unseen" }, title), el("thead", {}, el("tr", {}, ["Field", state !== NEW && "Now", state === NEW ? "Value" : "After"].filter(Boolean).map((each) => el("th", { scope: "col" }, each)))), el("tbody", {}, rows))),
    !removes && !rows.length && el("p", { class: "quiet" }, "No field is given."),
    actions && el("div", { class: "actions" }, actions));
}

function lost({ value, view }) {
  const columns = (view.columns || columnsOf([value], {})).filter((column) => at(value, column.name) !== undefined && at(value, column.name) !== null).slice(0, 8);
  return fields(columns, value);
}

/** The rows for one argument: one for each member if the argument is a whole object. */
function changed(name, value, state) {
  const before = state === NEW ? undefined : alike(state.value, name);
  if (before === undefined && value && typeof value === "object" && !Array.isArray(value)) return Object.entries(value).flatMap(([inner, each]) => changed(inner, each, state));
  const isSame = state !== NEW && JSON.stringify(before) === JSON.stringify(value);
  const column = { name, shows: state === NEW ? undefined : (state.view.columns || []).find((each) => each.name === name)?.shows };
  const cell = (each) => el("td", {}, each && typeof each === "object" ? el("code", {}, JSON.stringify(each).slice(0, 400)) : shown(each, column, state === NEW ? {} : state.value));
  return [el("tr", { class: isSame ? "same" : undefined }, el("th", { scope: "row" }, worded(name)), state !== NEW && cell(before), cell(value))];
}

/** The member of an object with this name, whatever its case and punctuation. */
function alike(item, name) {
  if (!item || typeof item !== "object") return undefined;
  const found = Object.hasOwn(item, name) ? name : Object.keys(item).find((each) => plain(each) === plain(name));
  return found === undefined ? undefined : item[found];
}
