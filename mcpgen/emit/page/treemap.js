// Where the tokens go: a squarified treemap (Bruls, Huizing, van Wijk 2000). Tags outside, effects in them, tools inside.

const LABEL = 17;
const LINE = 13;
const NARROWEST = 40; // of a tile with a line across it
const LETTER = 6.4;
const WIDE_LETTER = 7.6;

/** Rectangles for weighted items, the heaviest first, in the given one: [{item, x, y, w, h}]. */
function squarified(items, x, y, w, h) {
  const placed = [];
  let rest = items.filter((item) => item.weight > 0);
  let left = rest.reduce((sum, item) => sum + item.weight, 0);
  while (rest.length) {
    const short = Math.max(Math.min(w, h), 0.01);
    const scale = (w * h) / left;
    let row = 1;
    let worst = aspect(rest.slice(0, 1), short, scale);
    while (row < rest.length) {
      const next = aspect(rest.slice(0, row + 1), short, scale);
      if (next > worst) break;
      worst = next;
      row += 1;
    }
    const taken = rest.slice(0, row);
    const weight = taken.reduce((sum, item) => sum + item.weight, 0);
    const thick = (weight * scale) / short;
    let along = 0;
    for (const item of taken) {
      const long = (item.weight / weight) * short;
      placed.push(w < h ? { item, x: x + along, y, w: long, h: thick } : { item, x, y: y + along, w: thick, h: long });
      along += long;
    }
    if (w < h) { y += thick; h -= thick; } else { x += thick; w -= thick; }
    left -= weight;
    rest = rest.slice(row);
  }
  return placed;
}

function aspect(row, short, scale) {
  const sum = row.reduce((total, item) => total + item.weight, 0) * scale;
  const areas = row.map((item) => item.weight * scale);
  return Math.max((short * short * Math.max(...areas)) / (sum * sum), (sum * sum) / (short * short * Math.min(...areas)));
}

/** [{key, items, weight}] of entries or groups, the heaviest first. */
function groupsBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item.entry);
    if (!groups.has(key)) groups.set(key, { key, items: [], weight: 0 });
    groups.get(key).items.push(item);
    groups.get(key).weight += item.weight;
  }
  return heaviestFirst([...groups.values()]);
}

const heaviestFirst = (items) => items.sort((one, other) => other.weight - one.weight);
const firstTag = (entry) => entry.tool.operation.tags[0] || "(no tag)";

/** Draws `entries` into `place`, anew. `onPick(entry)` is called for the tool that is chosen. */
function drawTreemap(place, entries, onPick) {
  const width = Math.max(place.clientWidth, 280);
  const height = width < 600 ? 440 : 400;
  const total = entries.reduce((sum, entry) => sum + entry.tool.tokens, 0);
  const tags = groupsBy(entries.map((entry) => ({ entry, weight: entry.tool.tokens })), firstTag);
  const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, role: "group", "aria-label": "Tokens of " + counted(entries.length, "tool") });
  const cells = [];
  for (const group of squarified(tags, 0, 0, width, height)) {
    const head = tags.length > 1 && group.h > LABEL * 2 && group.w > 40 ? LABEL : 0;
    if (head) picture.append(svg("text", { class: "tag", x: group.x + 2, y: group.y + 12 }, fitted(group.item.key, group.w - 4, WIDE_LETTER)));
    const effects = groupsBy(group.item.items, (entry) => entry.tool.effect);
    for (const effect of squarified(effects, group.x + 1, group.y + head, group.w - 3, group.h - head - 3)) {
      for (const cell of squarified(heaviestFirst(effect.item.items), effect.x, effect.y, effect.w, effect.h)) {
        cells.push(drawCell(picture, cell, total, onPick));
      }
    }
  }
  place.replaceChildren(picture);
  moveByKeys(picture, cells);
}

function drawCell(picture, { item, x, y, w, h }, total, onPick) {
  const { entry } = item;
  const { tool } = entry;
  const said = tool.name + ", " + counted(tool.tokens, "token") + ", " + percent(tool.tokens / total);
  const node = svg("g", { class: "cell " + EFFECT_CLASS.get(tool.effect), role: "button", tabindex: "-1", "aria-label": visible(said) },
    svg("rect", { x, y, width: Math.max(w - 1, 0.4), height: Math.max(h - 1, 0.4), rx: w > 12 && h > 12 ? 2 : 0 }),
    ...(w > NARROWEST ? written(tool, x, y, w, h) : [h > NARROWEST && w > LINE && upright(tool.name, x, y, w, h)]));
  node.addEventListener("click", () => onPick(entry));
  const tell = () => tipAt(node, [tool.name, tool.operation.method + " " + tool.operation.path, counted(tool.tokens, "token") + ", " + percent(tool.tokens / total) + ", " + tool.effect]);
  node.addEventListener("pointerenter", tell);
  node.addEventListener("focus", tell);
  node.addEventListener("pointerleave", hideTip);
  node.addEventListener("blur", hideTip);
  picture.append(node);
  return node;
}

/** The name in as many lines as the tile has room for, and below it the tokens. */
function written(tool, x, y, w, h) {
  const rows = Math.floor((h - 4) / LINE);
  const lines = rows < 1 ? [] : wrapped(tool.name, w - 8, Math.max(1, rows - 1));
  const at = (row) => ({ x: x + 4, y: y + 12 + row * LINE });
  return [
    ...lines.map((line, row) => svg("text", at(row), line)),
    lines.length > 0 && lines.length < rows && svg("text", { class: "less", ...at(lines.length) }, fitted(number(tool.tokens), w - 8)),
  ];
}

/** The name of a tile that is only wide enough for a line that runs downwards. */
function upright(name, x, y, w, h) {
  return svg("text", { transform: "translate(" + (x + w / 2 - 4) + " " + (y + 4) + ") rotate(90)" }, fitted(name, h - 8));
}

/** The text in at most so many lines, which begin behind an underscore. */
function wrapped(text, width, most) {
  const lines = [""];
  for (const word of text.split(/(?<=_)/)) {
    const line = lines[lines.length - 1];
    if (!line || lines.length === most || (line + word).length * LETTER <= width) lines[lines.length - 1] += word;
    else lines.push(word);
  }
  return lines.map((line) => fitted(line, width));
}

/** As much of the text as fits in so many pixels. */
function fitted(text, width, letter = LETTER) {
  const room = Math.floor(width / letter);
  return text.length <= room ? text : room < 3 ? "" : text.slice(0, room - 1) + "…";
}

/** One stop of the tab key for the whole picture; inside it the arrow keys move. */
function moveByKeys(picture, cells) {
  if (cells.length) cells[0].setAttribute("tabindex", "0");
  picture.addEventListener("keydown", (event) => {
    const at = cells.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: cells.length - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (at >= 0) cells[at].dispatchEvent(new MouseEvent("click"));
    } else if (next !== undefined && cells[next]) {
      event.preventDefault();
      cells[at].setAttribute("tabindex", "-1");
      cells[next].setAttribute("tabindex", "0");
      cells[next].focus();
    }
  });
}

function tipAt(node, lines) {
  const tip = byId("tip");
  tip.replaceChildren(...lines.map((line, index) => el(index ? "span" : "strong", {}, line)));
  tip.hidden = false;
  const box = node.getBoundingClientRect();
  const left = Math.min(Math.max(box.left + box.width / 2 - tip.offsetWidth / 2, 8), document.documentElement.clientWidth - tip.offsetWidth - 8);
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = left + "px";
  tip.style.top = (above > 0 ? above : box.bottom + 8) + "px";
}

function hideTip() {
  byId("tip").hidden = true;
}
