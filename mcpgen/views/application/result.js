// What the result of a call says: its value, its notes, and the arguments of the next page.

const VIEW = "mcpgen/view";

/** The parts of a CallToolResult. The first text is the API's answer, those behind it are notes of the server. */
function read(result) {
  const blocks = Array.isArray(result.content) ? result.content.filter((each) => each && typeof each === "object") : [];
  const texts = blocks.filter((each) => each.type === "text" && typeof each.text === "string").map((each) => each.text);
  const pictures = blocks.filter((each) => each.type === "image" && PICTURE.test("data:" + each.mimeType + ";base64," + each.data));
  const notes = texts.slice(1).flatMap((each) => each.split("\n")).filter(Boolean);
  const said = notes.find((each) => each.startsWith("Next page: "));
  return {
    view: blocks[0]?._meta?.[VIEW],
    value: parsed(texts[0], result.structuredContent),
    text: texts[0] || "",
    failed: result.isError === true,
    next: said ? following(said.slice("Next page: ".length)) : null,
    notes: notes.filter((each) => each !== said || !following(said.slice("Next page: ".length))),
    pictures,
  };
}

/** The value of a JSON text. An integer that a number of JavaScript cannot hold, such as a long id, becomes its digits. */
function parsed(text, structured) {
  try {
    return JSON.parse(text, (_, value, { source } = {}) => (typeof value === "number" && /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? source : value));
  } catch {
    return structured;
  }
}

/** The arguments in `page=2, after="x"`; null if the text is no list of arguments, such as an address. */
function following(text) {
  const found = {};
  let rest = text;
  while (rest) {
    const part = /^([\w.-]{1,64})=("(?:[^"\\]|\\.)*"|[^",\s]+)(?:, |$)/.exec(rest);
    if (!part) return null;
    found[part[1]] = parsed(part[2], part[2]);
    rest = rest.slice(part[0].length);
  }
  return found;
}

/** The value at a JSON Pointer, or undefined. */
function pointed(value, pointer) {
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce((inner, step) => (inner && typeof inner === "object" && Object.hasOwn(inner, step) ? inner[step] : undefined), value);
}

/** The list of items in an answer: where the view says, else the answer or the only list in it; null if there is none. */
function listIn(value, view) {
  const there = view.items ? pointed(value, view.items) : value;
  if (Array.isArray(there)) return view.kind === "card" && there.length === 1 ? null : there;
  if (!value || typeof value !== "object" || view.kind === "card") return null;
  const lists = Object.values(value).filter(Array.isArray);
  const scalars = Object.keys(value).filter((name) => /^(id|uuid|name|title|key)$/i.test(name));
  return lists.length === 1 && (view.kind === "table" || !scalars.length) ? lists[0] : null;
}

/** The object that a card shows. */
function objectIn(value, view) {
  const there = view.kind === "card" && view.items ? pointed(value, view.items) : undefined;
  const found = there && typeof there === "object" ? there : value;
  return Array.isArray(found) && found.length === 1 ? found[0] : found;
}
