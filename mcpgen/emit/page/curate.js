// What its reader keeps and renames becomes a tools file, which the page writes itself: nothing is sent.

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The box and the field by which a tool is kept or renamed; changes go to `entry.kept` and `entry.renamed`. */
function curationOf(entry, onChange) {
  const box = el("input", { type: "checkbox", checked: true });
  const field = el("input", { type: "text", class: "renamed", value: entry.tool.name, maxlength: "64", spellcheck: "false", autocomplete: "off" });
  entry.kept = true;
  entry.renamed = entry.tool.name;
  box.addEventListener("change", () => {
    entry.kept = box.checked;
    onChange();
  });
  field.addEventListener("input", () => {
    entry.renamed = field.value;
    onChange();
  });
  return el("p", { class: "curation" }, el("label", {}, box, " Keep this tool"), el("label", {}, "Name ", field));
}

/** Why the kept tools cannot have their names, in a sentence; "" if they can. */
function wrongNames(entries) {
  const names = new Set();
  for (const { kept, renamed } of entries) {
    if (!kept) continue;
    if (!NAME.test(renamed)) return "The name " + JSON.stringify(renamed) + " must have 1 to 64 letters, digits, _ or -.";
    if (names.has(renamed)) return "Two tools would be called " + renamed + ".";
    names.add(renamed);
  }
  return names.size ? "" : "Keep at least one tool.";
}

/** The tools file. JSON's texts are YAML's, too. */
function toolsFile(source, entries) {
  const changes = entries.flatMap(({ tool, kept, renamed }) => {
    const change = kept ? (renamed !== tool.name ? "name: " + renamed : "") : "hide: true";
    const { method, path } = tool.operation;
    return change ? ["  " + JSON.stringify(method + " " + path) + ": {" + change + "}"] : [];
  });
  const lines = ["mcpgen: 1", "openapi:", "  - document: " + JSON.stringify(source), ...(changes.length ? ["overrides:", ...changes] : [])];
  return lines.join("\n") + "\n";
}

/** Lets the button hand the file over as a download. */
function drawExport(source, entries) {
  byId("export").hidden = !source;
  byId("download").addEventListener("click", () => {
    const link = el("a", { href: URL.createObjectURL(new Blob([toolsFile(source, entries)], { type: "application/yaml" })), download: "mcpgen.tools.yaml" });
    link.click();
    URL.revokeObjectURL(link.href);
  });
}

function drawCuration(entries) {
  const wrong = wrongNames(entries);
  const renamed = entries.filter((entry) => entry.kept && entry.renamed !== entry.tool.name).length;
  byId("download").disabled = wrong !== "";
  byId("curated").textContent = wrong || number(entries.filter((entry) => entry.kept).length) + " of " + counted(entries.length, "tool") + " kept, " + number(renamed) + " renamed";
}
