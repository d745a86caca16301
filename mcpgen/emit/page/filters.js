// Which tools are wanted. Boxes of one facet are alternatives; facets, and the words of the search, must all hold.

const FACETS = [
  ["effect", "Effect", (entry) => [entry.tool.effect]],
  ["method", "Method", (entry) => [entry.tool.operation.method]],
  ["grade", "Grade", (entry) => [entry.graded.letter]],
  ["notes", "Notes", (entry) => (entry.notes.length ? ["has notes", ...entry.notes] : [])],
  ["tag", "Tag", (entry) => (entry.tool.operation.tags.length ? entry.tool.operation.tags : ["(no tag)"])],
];

/** What the search looks through, in lower case. */
function haystackOf({ tool, notes }) {
  const { operation } = tool;
  return [tool.name, tool.title, tool.description, operation.method, operation.path, operation.id || "", ...operation.tags, ...notes, ...Object.keys(tool.arguments)].join("\n").toLowerCase();
}

/** Draws the facets into `place`; the wanted values of each are in `chosen`, Map of facet → Set. */
function drawFacets(place, entries, chosen, onChange) {
  const total = entries.reduce((sum, entry) => sum + entry.tool.tokens, 0) || 1;
  for (const [key, title, valuesOfEntry] of FACETS) {
    const sums = new Map();
    for (const entry of entries) {
      for (const value of new Set(valuesOfEntry(entry))) {
        const sum = sums.get(value) || { count: 0, tokens: 0 };
        sums.set(value, { count: sum.count + 1, tokens: sum.tokens + entry.tool.tokens });
      }
    }
    chosen.set(key, new Set());
    if (sums.size === 0 || (key === "tag" && sums.size === 1)) continue;
    const most = Math.max(...[...sums.values()].map((sum) => sum.tokens)) || 1;
    const rows = [...sums].sort((one, other) => other[1].tokens - one[1].tokens).map(([value, sum]) => {
      const box = el("input", { type: "checkbox" });
      box.addEventListener("change", () => {
        if (box.checked) chosen.get(key).add(value);
        else chosen.get(key).delete(value);
        onChange();
      });
      const fill = el("span", { class: "fill " + (key === "effect" ? EFFECT_CLASS.get(value) : "") });
      fill.style.width = (sum.tokens / most) * 100 + "%";
      return el("li", {}, el("label", {}, box,
        el("span", { class: "value" }, value), el("span", { class: "quiet" }, number(sum.count)),
        el("span", { class: "share" }, percent(sum.tokens / total)),
        el("span", { class: "bar", "aria-hidden": "true" }, fill)));
    });
    place.append(el("fieldset", {}, el("legend", {}, title, el("span", { class: "quiet" }, "tools, share of tokens")), el("ul", {}, rows)));
  }
}

/** The entries that hold the words of `text` and are of the chosen values. */
function wanted(entries, text, chosen) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const facets = FACETS.filter(([key]) => chosen.get(key).size > 0);
  return entries.filter((entry) =>
    words.every((word) => entry.haystack.includes(word)) &&
    facets.every(([key, , valuesOfEntry]) => valuesOfEntry(entry).some((value) => chosen.get(key).has(value))));
}

const ORDERS = {
  name: (one, other) => one.index - other.index,
  tokens: (one, other) => other.tool.tokens - one.tool.tokens || one.index - other.index,
  path: (one, other) => (one.tool.operation.path < other.tool.operation.path ? -1 : one.tool.operation.path > other.tool.operation.path ? 1 : one.index - other.index),
  grade: (one, other) => one.graded.score - other.graded.score || one.index - other.index,
};
