// Text of the document becomes text nodes, here and nowhere else.

const UNSEEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** The text with characters that nobody sees, or that turn others around, written out. */
function visible(text) {
  return String(text).replace(UNSEEN, (found) => "\\u{" + found.codePointAt(0).toString(16) + "}");
}

/** An element with attributes and children; strings become text nodes. Attributes are ours, children may be anything. */
function el(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== undefined) node.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child instanceof Node) node.append(child);
    else if (child !== undefined && child !== null && child !== false) node.append(document.createTextNode(visible(child)));
  }
  return node;
}

/** A path or a name, which may be broken before each slash or behind each underscore. */
function breakable(text) {
  return text.split(/(?=\/)|(?<=_)/).flatMap((piece, index) => (index ? [el("wbr"), piece] : [piece]));
}

const grouped = new Intl.NumberFormat("en");
const number = (value) => grouped.format(value);
const percent = (share) => (share * 100).toFixed(share < 0.0995 ? 1 : 0) + " %";
const counted = (count, noun) => number(count) + " " + noun + (count === 1 ? "" : "s");
const byId = (id) => document.getElementById(id);
