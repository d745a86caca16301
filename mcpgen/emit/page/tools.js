// One tool: a line of the list, and what unfolds below it when it is opened for the first time.

const EFFECTS = [["reads", "reads"], ["adds", "adds"], ["changes or deletes", "changes"]];
const EFFECT_CLASS = new Map(EFFECTS);
const NOTE_WORDS = { "schema-cut": "cut", "over-budget": "over budget" };

/** What is known of a tool beside its effect, in a word each. */
function notesOf(tool, findings) {
  const words = findings.map((finding) => NOTE_WORDS[finding.code] || finding.code);
  return [...new Set([...(tool.operation.deprecated ? ["deprecated"] : []), ...words])];
}

/** The list item of an entry {tool, notes, findings, graded, share}; `share` is of the heaviest tool. `curation`: its first part. */
function toolItem(entry, onOpen, curation) {
  const { tool, notes, graded } = entry;
  const fill = el("span", { class: "fill " + EFFECT_CLASS.get(tool.effect) });
  fill.style.width = Math.max(entry.share * 100, 1) + "%";
  const summary = el("summary", {},
    el("span", { class: "method" }, tool.operation.method),
    el("span", { class: "what" },
      el("span", { class: "name" }, breakable(tool.name)),
      el("span", { class: "path" }, breakable(tool.operation.path))),
    el("span", { class: "marks" },
      el("span", { class: "effect " + EFFECT_CLASS.get(tool.effect) }, tool.effect),
      el("span", { class: "note grade" }, el("span", { class: "unseen" }, "grade "), el("b", {}, graded.letter), " " + graded.score),
      notes.map((note) => el("span", { class: "note" }, note))),
    el("span", { class: "weight" },
      el("span", { class: "bar", "aria-hidden": "true" }, fill),
      el("span", { class: "tokens" }, number(tool.tokens), el("span", { class: "quiet" }, " tokens"))));
  const details = el("details", { class: "tool" }, summary);
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    if (!entry.drawn) details.append(toolBody(entry, curation));
    entry.drawn = true;
    onOpen(entry);
  });
  entry.details = details;
  return el("li", {}, details);
}

function toolBody({ tool, findings, graded }, curation) {
  return el("div", { class: "body" },
    curation,
    el("h3", {}, tool.title),
    el("p", { class: "description" }, tool.description),
    request(tool),
    facts(tool),
    argumentTable(tool),
    graded.faults.length > 0 && el("div", { class: "said faults" }, el("h4", {}, "What costs points of the grade"), el("ul", {}, graded.faults.map((each) => el("li", {}, faultText(each))))),
    findings.length > 0 && el("div", { class: "said" }, el("h4", {}, "Findings"), el("ul", {}, findings.map((each) => el("li", {}, findingText(each))))),
    schemaBlock("Input schema", tool.inputSchema),
    tool.outputSchema && schemaBlock("Output schema", tool.outputSchema));
}

function request({ operation, body }) {
  const server = operation.server.includes("://") ? operation.server.replace(/\/+$/, "") : "";
  return el("p", { class: "request" },
    el("span", { class: "method" }, operation.method), " ",
    el("span", { class: "quiet" }, server), ...pathPieces(operation.path),
    body && el("span", { class: "quiet" }, "  with a body of " + body.contentType + (body.required ? "" : ", optional")));
}

/** The path with its parameters marked. */
function pathPieces(path) {
  return path.split(/(\{[^{}]*\})/).flatMap((piece, index) => (index % 2 ? el("span", { class: "hole" }, piece) : breakable(piece)));
}

function facts({ annotations, operation, tokens, effect, roles = [], scopes = [] }) {
  const hints = [
    ["Effect", effect],
    ["Safe to repeat", annotations.idempotentHint ? "yes" : "no"],
    ["Reaches beyond the server", annotations.openWorldHint ? "yes" : "no"],
    ...(roles.length ? [["For the roles", roles.join(", ")]] : []),
    ...(scopes.length ? [["For callers with the scopes", scopes.map((each) => each.join(" and ")).join(", or ")]] : []),
    ["Tokens", "about " + number(tokens)],
    ...(operation.id ? [["operationId", operation.id]] : []),
    ...(operation.tags.length ? [["Tags", operation.tags.join(", ")]] : []),
  ];
  return el("dl", { class: "facts" }, hints.map(([term, text]) => el("div", {}, el("dt", {}, term), el("dd", {}, text))));
}

function argumentTable(tool) {
  const members = membersOf(tool.inputSchema);
  if (members.length === 0) return el("p", { class: "quiet" }, "It takes no arguments.");
  const places = new Map(Object.entries(tool.arguments));
  const rows = members.map((member) => {
    const { schema } = member;
    const choices = choicesOf(schema);
    const limits = limitsOf(schema);
    return el("tr", { class: "depth-" + Math.min(member.depth, 4) },
      el("th", { scope: "row" }, el("span", { class: "unseen" }, member.prefix), el("span", { class: "argument" }, member.name), member.required && el("span", { class: "required" }, " required")),
      el("td", { class: "type" }, typeOf(schema)),
      el("td", { class: "place" }, member.depth === 0 ? placeOf(places.get(member.path)) : ""),
      el("td", {},
        schema.description,
        choices.length > 0 && el("span", { class: "choices" }, choices.map((value) => el("code", {}, typeof value === "string" ? value : JSON.stringify(value)))),
        limits.length > 0 && el("span", { class: "limits" }, limits.join("; "))));
  });
  const head = ["Argument", "Type", "Goes to", "Description"].map((text) => el("th", { scope: "col" }, text));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Arguments" },
    el("table", { class: "arguments" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

/** Where an argument goes, and how it is written there where that is not plain. */
function placeOf(place) {
  if (!place) return [];
  const name = place.name === "" ? (place.in === "querystring" ? "the whole query" : "the whole body") : place.name;
  const how = [place.part, place.content, place.style && !["simple", "form"].includes(place.style) && place.style].filter(Boolean).join(", ");
  return [
    el("span", { class: "in" }, place.in), " ", el("span", { class: "wire" }, name), how && el("span", { class: "quiet" }, " " + how),
    ...(place.also || []).flatMap((other) => [" and ", ...placeOf(other)]),
  ];
}

function schemaBlock(title, schema) {
  const details = el("details", { class: "schema" }, el("summary", {}, title));
  details.addEventListener("toggle", () => details.append(el("pre", { tabindex: "0" }, JSON.stringify(schema, null, 2))), { once: true });
  return details;
}

function findingText(finding) {
  const place = finding.file ? finding.file + (finding.line ? ":" + finding.line + ":" + finding.column : "") : "";
  return [
    el("span", { class: "severity" }, finding.severity), " ", finding.message, " ",
    finding.hint && el("span", { class: "quiet" }, finding.hint + " "),
    el("code", {}, finding.code), " ", place && el("span", { class: "where" }, place),
  ];
}

const MOST_AT_FAULT = 8;

/** A fault of a tool: its points, what is at fault, and the reason and the advice of its rule. */
function faultText({ rule, points, about, reason, advice }) {
  const more = about.length - MOST_AT_FAULT;
  return [
    el("span", { class: "severity" }, "\u2212" + points), " ", reason, " ",
    about.slice(0, MOST_AT_FAULT).flatMap((each) => [el("code", {}, each), " "]), more > 0 && "and " + number(more) + " more ",
    el("span", { class: "quiet" }, advice + " "), el("code", {}, rule),
  ].flat();
}
