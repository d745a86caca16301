// Texts of results become text nodes, here and nowhere else.

const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** The text with characters that nobody sees, or that turn others around, written out. */
function visible(text) {
  return String(text).replace(UNSEEN, (found) => "\\u{" + found.codePointAt(0).toString(16) + "}");
}

/** An element with attributes and children; strings become text nodes. A function as an attribute listens to the event of its name. */
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child instanceof Node) node.append(child);
    else if (child !== undefined && child !== null && child !== false && child !== "") node.append(document.createTextNode(visible(child)));
  }
  return node;
}

const byId = (id) => document.getElementById(id);
const button = (label, click, more) => el("button", { type: "button", click, ...more }, label);
const counted = (count, noun) => numbered(count) + " " + noun + (count === 1 ? "" : "s");

let lastId = 0;
/** An id that no other element of the page has. */
const freshId = (word) => word + "-" + ++lastId;

/** Tell a person, and a screen reader, what has happened. */
function say(text) {
  byId("status").textContent = visible(text);
}

/** A name of a member or an argument as words: `createdAt` and `created_at` become `Created at`. */
function worded(name) {
  const words = name.replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").split(/[\s_.-]+/).filter(Boolean);
  const said = words.map((word) => (/^(id|url|uri|uuid|api|ip|html|sku|vat|iban|uid|utc)s?$/i.test(word) || /^[A-Z]{2,3}$/.test(word) ? word.toUpperCase().replace(/S$/, "s") : word.toLowerCase()));
  const text = said.join(" ") || name;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
