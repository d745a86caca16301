// What stands below the tools: variables, what was skipped, what was found.

const FEW = 20;

function drawTable(section, heads, rows, nothing) {
  if (rows.length === 0) {
    section.append(el("p", { class: "quiet" }, nothing));
    return;
  }
  const table = () => el("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": section.getAttribute("aria-labelledby") },
    el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, rows.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell)))))));
  if (rows.length <= FEW) {
    section.append(table());
    return;
  }
  const details = el("details", {}, el("summary", {}, "Show all " + number(rows.length)));
  details.addEventListener("toggle", () => details.append(table()), { once: true });
  section.append(details);
}

function drawTables(data, onTool) {
  drawTable(byId("environment"), ["Variable", "Purpose", "Needed", "Secret"],
    data.environment.map((row) => [el("code", {}, row.name), row.purpose, row.required ? "yes" : "no", row.secret ? "yes" : "no"]),
    "It needs none.");
  drawTable(byId("skipped"), ["Operation", "Why", "Where", "Code"],
    data.skipped.map((row) => [el("code", {}, row.operation), row.reason, el("span", { class: "where" }, row.where || ""), el("code", {}, row.code)]),
    "None: every operation that was selected is a tool.");
  drawTable(byId("findings"), ["Finding", "Tools"],
    data.diagnostics.map((finding) => [findingText(finding), finding.tools.map((name) => toolLink(name, onTool))]),
    "None.");
}

function toolLink(name, onTool) {
  const button = el("button", { type: "button", class: "link" }, breakable(name));
  button.addEventListener("click", () => onTool(name));
  return button;
}
