// Joins the parts: the data is read once, and every change of a filter draws the list and the picture again.

const data = JSON.parse(byId("data").textContent);
const findingsOf = new Map();
for (const finding of data.diagnostics) {
  for (const name of finding.tools) findingsOf.set(name, [...(findingsOf.get(name) || []), finding]);
}
const rules = new Map(data.grade.rules.map((rule) => [rule.name, rule]));
const gradedOf = new Map(data.grade.tools.map((graded) => [graded.name, { ...graded, faults: graded.faults.map((fault) => ({ ...rules.get(fault.rule), ...fault })) }]));
const heaviest = data.tools.reduce((most, tool) => Math.max(most, tool.tokens), 1);
const entries = data.tools.map((tool, index) => {
  const findings = findingsOf.get(tool.name) || [];
  const entry = { tool, index, findings, graded: gradedOf.get(tool.name), notes: notesOf(tool, findings), share: tool.tokens / heaviest, drawn: false };
  return { ...entry, haystack: haystackOf(entry) };
});
const byName = new Map(entries.map((entry) => [entry.tool.name, entry]));
const chosen = new Map();
let shown = entries;
let sorted = "name";

function drawHead() {
  const { server } = data;
  document.title = visible(server.title) + ": MCP tools";
  byId("title").append(el("bdi", {}, server.title));
  byId("subtitle").append(el("code", {}, server.command), " " + server.version);
  const total = data.totals.tokens;
  const figures = [
    ["tools", number(entries.length)],
    ["tokens in all", number(total)],
    ["tokens a tool", number(Math.round(total / Math.max(entries.length, 1)))],
    ["grade", data.grade.letter],
    ["skipped", number(data.skipped.length), "#skipped"],
    ["findings", number(data.diagnostics.length), "#findings"],
  ];
  byId("figures").append(...figures.map(([term, figure, below]) =>
    el("div", {}, el("dt", {}, below ? el("a", { href: below }, term) : term), el("dd", {}, figure))));
  byId("legend").append(...EFFECTS.map(([word, name]) => el("li", {}, el("span", { class: "swatch " + name }), word)));
}

function apply() {
  shown = wanted(entries, byId("search").value, chosen);
  const visibleOnes = new Set(shown);
  for (const entry of entries) entry.item.hidden = !visibleOnes.has(entry);
  if (byId("sort").value !== sorted) {
    sorted = byId("sort").value;
    byId("tools").append(...[...entries].sort(ORDERS[sorted]).map((entry) => entry.item));
  }
  const tokens = shown.reduce((sum, entry) => sum + entry.tool.tokens, 0);
  const all = shown.length === entries.length;
  byId("count").textContent = all ? counted(entries.length, "tool") : number(shown.length) + " of " + counted(entries.length, "tool") + ", " + counted(tokens, "token");
  byId("none").hidden = shown.length > 0;
  byId("clear").hidden = all;
  scheduleMap();
}

let waiting = 0;
function scheduleMap() {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    hideTip();
    drawTreemap(byId("treemap"), shown, (entry) => openTool(entry.tool.name));
  });
}

function openTool(name) {
  const entry = byName.get(name);
  if (!entry) return;
  if (entry.item.hidden) byId("filters").reset();
  entry.details.open = true;
  entry.details.scrollIntoView({ block: "start" });
  entry.details.querySelector("summary").focus({ preventScroll: true });
}

function remember(entry) {
  history.replaceState(null, "", "#tool=" + encodeURIComponent(entry.tool.name));
}

function openNamed() {
  const entry = entries.find((each) => location.hash === "#tool=" + encodeURIComponent(each.tool.name));
  if (entry) openTool(entry.tool.name);
}

drawHead();
for (const entry of entries) {
  const curation = curationOf(entry, () => drawCuration(entries));
  entry.item = toolItem(entry, remember, data.source ? curation : null);
}
drawExport(data.source, entries);
drawCuration(entries);
byId("tools").append(...entries.map((entry) => entry.item));
drawFacets(byId("facet-lists"), entries, chosen, apply);
drawTables(data, openTool);
drawSearch(data.search, (name) => byName.get(name).tool);
byId("search").addEventListener("input", apply);
byId("sort").addEventListener("change", apply);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("reset", (event) => {
  event.preventDefault(); // it would take the order back too
  for (const values of chosen.values()) values.clear();
  for (const box of byId("filters").querySelectorAll("input[type=checkbox]")) box.checked = false;
  byId("search").value = "";
  apply();
});
byId("none-clear").addEventListener("click", () => byId("filters").reset());
addEventListener("hashchange", openNamed);
addEventListener("keydown", (event) => {
  if (event.key === "/" && !document.activeElement.matches("input[type=search], input[type=text], select, textarea")) {
    event.preventDefault();
    byId("search").focus();
  } else if (event.key === "Escape") hideTip();
});
if (matchMedia("(max-width: 60rem)").matches) byId("facets").open = false;
apply();
let drawnWidth = byId("treemap").clientWidth;
new ResizeObserver(() => {
  if (byId("treemap").clientWidth === drawnWidth) return;
  drawnWidth = byId("treemap").clientWidth;
  scheduleMap();
}).observe(byId("treemap"));
openNamed();
