// How single values are shown: times in the person's zone, money, states, links.

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?$/;
const ZONED = /(Z|[+-]\d\d:?\d\d)$/;
const DOT_NET = /^\/Date\((-?\d+)([+-]\d{4})?\)\/$/;
const ADDRESS = /^https?:\/\/\S+$/i;
const MAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[a-z]{2,}$/i;
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const PICTURED = new Set(/img-src ([^;]*)/.exec(document.querySelector("meta[http-equiv='Content-Security-Policy']").content)[1].split(" "));
const PLAIN_NUMBER = /(^|[^a-z])(id|ids|number|no|code|zip|year|port|version|pid|phone)$|(Id|Number|Code|Year|Zip|Phone)$/;
const GOOD = /^(active|available|enabled|success|successful|succeeded|ok|healthy|completed?|done|paid|approved|delivered|running|online|verified|authorised|authorized|merged|resolved|ready|published)$/i;
const BAD = /^(failed|failure|error|cancell?ed|overdue|rejected|denied|declined|disabled|offline|expired|deleted|voided|blocked|critical|down|suspended|unhealthy|uncollectible)$/i;
const PENDING = /^(pending|queued|waiting|draft|in[ _-]?progress|processing|scheduled|review|submitted|reserved|warning|paused|incomplete|trialing|past_due|in_review)$/i;
const NOTHING = "\u2014";
const LONGEST_IN_TABLE = 140;

const language = () => {
  try {
    return Intl.getCanonicalLocales(host.context.locale || [])[0];
  } catch {
    return undefined;
  }
};

const formats = new Map();
/** A number, or a date, as people write it. A format is slow to make, so each is made once. */
function formatted(kind, value, style) {
  const key = JSON.stringify([kind.name, language(), style]);
  if (!formats.has(key)) formats.set(key, new kind(language(), style));
  return formats.get(key).format(value);
}

/** A number with separators; a very large or small one as it is written, since zeros would hide it. */
const numbered = (value) => (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-4) ? String(value) : formatted(Intl.NumberFormat, value, { maximumFractionDigits: 6 }));

/** The value of a member of `item`, by its path of names with dots between them. */
function at(item, path) {
  if (item && typeof item === "object" && Object.hasOwn(item, path)) return item[path];
  return path.split(".").reduce((value, name) => (value && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : undefined), item);
}

const isNothing = (value) => value === null || value === undefined || (typeof value === "string" && !value.trim());

/** The value as a node. `shows`: what it is to people, if it does not say so itself. `item`: the object that holds it. `whole`: show all of a long text. */
function shown(value, column, item, whole) {
  const name = column.name, shows = column.shows;
  if (isNothing(value)) return el("span", { class: "nothing" }, NOTHING);
  if (Array.isArray(value)) return listed(value, column, item, whole);
  if (typeof value === "object" && !Object.keys(value).length) return el("span", { class: "nothing" }, NOTHING);
  if (typeof value === "object") return whole ? opener(value, name) : el("span", {}, brief(value));
  if (typeof value === "boolean") return el("span", { class: "badge " + (value ? "good" : "") }, value ? "Yes" : "No");
  if (shows === "badge") return badge(String(value));
  if (shows === "seconds" || shows === "milliseconds") return moment(new Date(Number(value) * (shows === "seconds" ? 1000 : 1)), String(value));
  if (shows === "money" || shows === "cents") return money(value, shows === "cents", item);
  return typeof value === "number" ? el("span", { class: "number" }, PLAIN_NUMBER.test(name) ? String(value) : numbered(value)) : text(value, shows, whole);
}

function text(value, shows, whole) {
  if (DATE.test(value)) return moment(new Date(value + "T00:00:00Z"), value, true);
  if (TIME.test(value)) return ZONED.test(value) ? moment(new Date(value.replace(" ", "T")), value) : moment(new Date(value.replace(" ", "T").trim() + "Z"), value, true);
  const dated = DOT_NET.exec(value);
  if (dated) return moment(new Date(Number(dated[1])), value);
  if (PICTURE.test(value)) return el("img", { src: value, alt: "Picture", class: "picture" });
  if (ADDRESS.test(value) && opened(value)) return pictured(value, shows, link(value, whole ? value : address(value, shows)));
  if (MAIL.test(value)) return link("mailto:" + value, value);
  if (!whole && value.length > LONGEST_IN_TABLE) return el("span", { title: visible(value.slice(0, 1000)) }, value.slice(0, LONGEST_IN_TABLE) + "\u2026");
  return el("span", { class: value.includes("\n") ? "lines" : undefined }, value);
}

/** The address as a picture, if it is one and the owner of the server allows pictures from there; else the link. */
function pictured(value, shows, instead) {
  const url = new URL(value);
  if (!PICTURED.has(url.origin) || !(shows === "image" || /\.(avif|gif|jpe?g|png|webp)$/i.test(url.pathname))) return instead;
  return el("img", { loading: "lazy", referrerpolicy: "no-referrer", alt: "Picture", class: "picture", error: (event) => event.target.replaceWith(instead), src: url.href });
}

/** An address as a few words: a picture by what it is, anything else by its host and the end of its path. */
function address(value, shows) {
  if (shows === "image") return "Picture";
  const url = new URL(value), end = url.pathname.split("/").filter(Boolean).at(-1) || "";
  const short = end.length > 24 ? end.slice(0, 23) + "\u2026" : end;
  return url.host + (short ? "/\u2026/" + short : "");
}

function badge(value) {
  const tone = GOOD.test(value) ? "good" : BAD.test(value) ? "bad" : PENDING.test(value) ? "pending" : "";
  return el("span", { class: "badge " + tone }, /^[A-Z_\d]+$/.test(value) && (tone || value.includes("_")) ? worded(value) : value.replaceAll("_", " "));
}

/** A date or time as the person writes it, in the person's time zone. A date alone, and a time without a zone, stay as they are. */
function moment(date, written, isFixed) {
  if (Number.isNaN(date.getTime()) || (isFixed && !written.startsWith(date.toISOString().slice(0, 10)))) return el("span", {}, written);
  const style = { dateStyle: "medium", timeStyle: DATE.test(written) ? undefined : "short" };
  let told;
  try {
    told = formatted(Intl.DateTimeFormat, date, { ...style, timeZone: isFixed ? "UTC" : host.context.timeZone });
  } catch {
    told = formatted(Intl.DateTimeFormat, date, style);
  }
  return el("time", { datetime: isFixed ? written : date.toISOString(), title: visible(written) }, told);
}

/** An amount, in the currency that a member beside it names. */
function money(value, isCents, item) {
  if (!/^-?\d+(\.\d+)?$/.test(value)) return el("span", {}, String(value));
  const beside = Object.keys(item || {}).find((name) => /^(currency|iso4217)(_?(iso|code))*$/i.test(name));
  const currency = beside && typeof item[beside] === "string" ? item[beside].toUpperCase() : "";
  let format;
  try {
    format = new Intl.NumberFormat(language(), { style: "currency", currency });
  } catch {
    format = new Intl.NumberFormat(language(), { minimumFractionDigits: 2, maximumFractionDigits: isCents ? 2 : 6 });
  }
  const digits = currency ? format.resolvedOptions().maximumFractionDigits : 2;
  return el("span", { class: "number" }, format.format(isCents ? value + "E-" + digits : value));  // as a text, so that no digit is lost
}

function listed(values, column, item, whole) {
  if (!values.length) return el("span", { class: "nothing" }, NOTHING);
  const some = values.slice(0, whole ? 100 : 4);
  const nodes = some.flatMap((each, index) => [index ? ", " : "", shown(each, column, item, whole)]);
  return el("span", {}, nodes, values.length > some.length && " and " + numbered(values.length - some.length) + " more");
}

/** A button that opens an object or a list. `main.js` hears of it. `cell`: the node that the button has instead of a few words about the value. */
function opener(value, name, cell) {
  const label = !cell ? brief(value) : cell.classList.contains("nothing") ? "Show" : cell.matches("a, :has(a)") ? cell.textContent : cell;
  return button(label, (event) => event.currentTarget.dispatchEvent(new CustomEvent("opened", { bubbles: true, detail: { value, name } })), { class: "open" });
}

/** Fill a table's body with one row for each of `items`, the first ones now and further ones when a person asks. */
function fillRows(body, items, most, row, more) {
  const add = (from) => {
    const rest = items.length - from - most;
    body.append(...items.slice(from, from + most).map(row));
    more.replaceChildren(...(rest > 0 ? [button("Show " + numbered(Math.min(rest, most)) + " more of " + numbered(items.length), () => add(from + most))] : []));
  };
  body.replaceChildren();
  add(0);
}

/** An object in a few words: its name, or how many members it has. */
function brief(value) {
  if (Array.isArray(value)) return counted(value.length, "item");
  const name = ["name", "title", "displayName", "display_name", "login", "label", "key", "id"].find((each) => ["string", "number"].includes(typeof value[each]) && !isNothing(value[each]));
  return name ? String(value[name]).slice(0, LONGEST_IN_TABLE) : counted(Object.keys(value).length, "field");
}

/** What a value is sorted by: a number, or a text. */
function order(value) {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (value === null || value === undefined || typeof value === "object") return value ? brief(value) : "";
  if (DATE.test(value) || TIME.test(value)) return Date.parse(value);
  const dated = DOT_NET.exec(value);
  if (dated) return Number(dated[1]);
  return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
