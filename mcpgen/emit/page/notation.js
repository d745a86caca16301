// Tools as a model reads them in the answer of a search (runtime/search/notation.py), and how many tokens a text takes.

function notationOf({ numbers, short: shortTypes }) {
  const { MOST_OPTIONAL, SHORTEST_STEM, ENOUGH, LONGEST_SENTENCE, LONGEST_LINE, LONGEST_DESCRIPTION, LONGEST_END, LONGEST_ENUM } = numbers;
  const { DEPTH, MOST_MEMBERS, MOST_ALTERNATIVES } = numbers, SHORT = new Map(Object.entries(shortTypes));
  const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const has = (schema, key) => Object.hasOwn(schema, key);
  const oneLine = (text) => String(text).split(/\s+/).filter(Boolean).join(" ");
  const escaped = (found) => "\\u" + found.charCodeAt(0).toString(16).padStart(4, "0");
  const json = (value) => JSON.stringify(value).replace(/[^\0-\x7e]/g, escaped);
  const mark = (tool) => (tool.annotations?.readOnlyHint === true ? "" : " [writes]");

  function clipped(text, longest) {
    const letters = [...text];
    return letters.length <= longest ? text : letters.slice(0, longest - 1).join("").trimEnd() + "\u2026";
  }

  function typeOf(schema, short = false) {
    if (!isObject(schema)) return "any";
    if (has(schema, "const")) return clipped(json(schema.const), 60);
    if (has(schema, "enum")) return short ? "str" : clipped(schema.enum.map(json).join("|"), LONGEST_ENUM);
    for (const key of ["anyOf", "oneOf"]) {
      if (!has(schema, key)) continue;
      const several = [...new Set(schema[key].map((each) => typeOf(each, short)))];
      return several.length <= MOST_ALTERNATIVES ? several.join("|") : "any";
    }
    const kinds = has(schema, "type") ? schema.type : "any";
    if (Array.isArray(kinds)) return kinds.map((each) => SHORT.get(each) || each).join("|");
    if (kinds === "array" && !short) return typeOf(has(schema, "items") ? schema.items : {}) + "[]";
    if (kinds === "string" && has(schema, "format") && !short) return schema.format.startsWith("date") ? schema.format : "str";
    return SHORT.get(kinds) || kinds;
  }

  /** The values of an enum, also if a list or an alternative has it. */
  function values(schema) {
    if (!isObject(schema)) return [];
    return [...(schema.enum || []), ...[schema.items, ...(schema.anyOf || []), ...(schema.oneOf || [])].flatMap(values)];
  }

  function signature(tool, asked, stems) {
    const schema = tool.inputSchema || {}, members = new Map(Object.entries(schema.properties || {}));
    const required = schema.required || [], words = asked.filter((word) => word.length >= SHORTEST_STEM);
    const typed = (name) => { const kind = typeOf(members.get(name) || {}, true); return kind === "str" ? name : name + ":" + kind; };
    let optional = [...members.keys()].filter((name) => !required.includes(name));
    if (optional.length > MOST_OPTIONAL && words.length) {
      const spoken = (name) => {
        const texts = [name, ...values(members.get(name)).filter((value) => typeof value === "string")];
        return stems(texts.join(" ")).some((own) => words.some((word) => own.startsWith(word)));
      };
      optional = [...optional.filter(spoken), ...optional.filter((name) => !spoken(name))];
    }
    const shown = optional.length <= MOST_OPTIONAL ? optional : optional.slice(0, MOST_OPTIONAL - 1);
    const parts = [...required.map(typed), ...shown.map((name) => name + "?")];
    if (optional.length > shown.length) parts.push("+" + (optional.length - shown.length) + "?");
    return tool.name + "(" + parts.join(", ") + ")";
  }

  function sentence(tool) {
    const title = tool.title || "";
    let text = tool.description || "";
    if (title.split(" (")[0].split(/\s+/).filter(Boolean).length >= ENOUGH || !text) return clipped(title, LONGEST_SENTENCE);
    if (text.startsWith("Deprecated. ")) text = text.slice("Deprecated. ".length);
    return clipped(text.split(". ")[0].split("\n")[0].replace(/\.+$/, ""), LONGEST_SENTENCE);
  }

  /** A line for each member, and lines for the members of members. */
  function lines(schema, level) {
    const found = [], members = Object.entries(schema.properties || {});
    for (const [name, member] of members.slice(0, MOST_MEMBERS)) {
      if (!isObject(member)) continue;
      const preset = has(member, "default") ? "=" + clipped(json(member.default), 40) : "";
      const about = clipped(oneLine(member.description || ""), LONGEST_LINE);
      const line = " ".repeat(level) + name + ((schema.required || []).includes(name) ? "" : "?") + ": " + typeOf(member) + preset;
      found.push(about ? line + "  // " + about : line);
      let below = member;
      for (let step = 0; step < 3 && isObject(below.items); step++) below = below.items;
      if (Object.keys(below.properties || {}).length && level <= DEPTH) found.push(...lines(below, level + 1));
    }
    if (members.length > MOST_MEMBERS) found.push(" ".repeat(level) + "// and " + (members.length - MOST_MEMBERS) + " more");
    return found;
  }

  /** A long description as its first sentences, and its end from the sketch of the answer on. */
  function shortened(text) {
    const letters = [...text];
    if (letters.length <= LONGEST_DESCRIPTION) return text;
    const sketch = Math.max(...[" Returns {", " Returns a list of {"].map((each) => text.lastIndexOf(each)));
    const found = sketch > 0 ? text.slice(sketch) : "", end = [...found].length <= LONGEST_END ? found : "";
    const room = LONGEST_DESCRIPTION - [...end].length, start = letters.slice(0, room).join("");
    const whole = start.slice(0, start.lastIndexOf(". ") + 1);
    if ([...whole].length - 1 > Math.floor(room / 2)) return whole + end;
    return clipped(text.slice(0, text.length - end.length), room) + end;
  }

  function described(tool) {
    const found = lines(tool.inputSchema || {}, 1);
    const text = shortened(oneLine(tool.description || ""));
    return tool.name + (found.length ? ["(", ...found, ")"].join("\n") : "()") + mark(tool) + "  // " + text;
  }

  function row(tool, asked, stems) {
    const said = sentence(tool), words = stems(said), spells = words.join(" ") === stems(tool.name).join(" ");
    return signature(tool, asked, stems) + mark(tool) + (spells && words.length ? "" : " \u2014 " + said);
  }
  return { signature, row, described };
}

/** The tokens of a text as `mcpgen/base/tokens.py` estimates them, which counts its JSON. */
function estimatedTokens(text) {
  const pieces = /[A-Za-z]{0,64}(?![\x00-\x7f])[\p{L}\p{Nl}\p{No}][\p{L}\p{Nl}\p{No}]*|[^A-Za-z0-9\s]?(?:[A-Z]*[a-z]+|[A-Z]+)|[0-9]{1,3}|[^\sA-Za-z0-9]+/gu;
  const cost = (piece) => {
    const letters = [...piece], foreign = letters.filter((each) => each > "\x7f").length;
    if (foreign) return 6 * foreign + (foreign < letters.length ? 10 : 0);
    if (/[A-Za-z]$/.test(piece)) {
      const word = piece.length <= 12 && !(piece === piece.toUpperCase()) ? 10 : 17;
      return /^[A-Za-z]/.test(piece) ? word : word + 4;
    }
    return /^[0-9]/.test(piece) ? 12 : 12 + 6 * Math.max(0, piece.length - 4);
  };
  const total = (JSON.stringify(text).match(pieces) || []).reduce((sum, piece) => sum + cost(piece), 0);
  return Math.floor((total + 5) / 10);
}
