// A form for the arguments of a tool, from its input schema. The server checks what is sent, and says what is wrong.

const LONG_TEXT = /description|body|content|text|message|notes?|comment|markdown|query/i;

/** `schema`: the input schema. `given`: values that are filled in. `done(values)` is called with valid values. */
function form(schema, given, done, { label: sendLabel, title }) {
  const names = Object.keys(schema.properties || {}), required = new Set(schema.required || []);
  const fieldsOfForm = names.map((name) => field(name, schema.properties[name] || {}, given[name], required.has(name)));
  const first = fieldsOfForm.filter((each) => each.isRequired || each.isGiven), rest = fieldsOfForm.filter((each) => !first.includes(each));
  const send = () => {
    const values = {};
    const wrong = fieldsOfForm.filter((each) => !each.check(values));
    if (wrong.length) wrong[0].focus();
    else done(values);
  };
  // Hosts may forbid that a frame submits forms, so this is none for the browser.
  const enter = (event) => event.key === "Enter" && !event.isComposing && event.target.tagName === "INPUT" && send();
  return el("div", { class: "form", role: "form", "aria-label": title, keydown: enter },
    first.map((each) => each.node),
    rest.length > 0 && (first.length ? el("details", {}, el("summary", {}, "Optional arguments"), rest.map((each) => each.node)) : rest.map((each) => each.node)),
    !names.length && el("p", { class: "quiet" }, "It has no arguments."),
    el("div", { class: "actions" }, button(sendLabel, send, { class: "main" })));
}

const kindsOf = (schema) => [schema.type].flat().filter(Boolean);

function field(name, schema, value, isRequired) {
  const id = freshId("argument"), hint = freshId("hint"), problem = el("p", { class: "problem", id: freshId("problem"), role: "alert" });
  const kinds = kindsOf(schema), choices = Array.isArray(schema.enum) ? schema.enum.filter((each) => each !== null) : null;
  const described = { id, "aria-describedby": hint + " " + problem.id, "aria-required": isRequired || undefined };
  const start = value !== undefined ? value : schema.default;
  const input = control(name, schema, kinds, choices, described, start);
  const untouched = input.value;
  const check = (values) => {
    const isDefault = value === undefined && !isRequired && input.value === untouched;  // the server sends defaults itself
    const [read, wrong] = isDefault ? [undefined, ""] : entry(input.value, schema, kinds, choices, isRequired, value);
    problem.textContent = wrong ? visible(name + " " + wrong) : "";
    input.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (!wrong && read !== undefined) values[name] = read;
    return !wrong;
  };
  const said = [schema.description, !isRequired && schema.default !== undefined && "Default: " + JSON.stringify(schema.default)].filter(Boolean).join(" ");
  const node = el("div", { class: "field" }, el("label", { for: id }, worded(name), isRequired && el("span", { class: "required" }, " (required)")), input, el("p", { class: "hint", id: hint }, said), problem);
  return { node, check, isRequired, isGiven: value !== undefined, focus: () => input.focus() };
}

function control(name, schema, kinds, choices, attributes, start) {
  if (choices || (kinds[0] === "boolean" && kinds.length <= 2)) {
    const all = choices || [true, false];
    const options = all.map((each, index) => el("option", { value: String(index), selected: each === start || undefined }, choices ? String(each) : each ? "Yes" : "No"));
    return el("select", attributes, el("option", { value: "" }, ""), options);
  }
  const isText = kinds.includes("string"), isNumber = kinds.some((kind) => kind === "integer" || kind === "number");
  const written = start === undefined ? "" : typeof start === "string" ? start : JSON.stringify(start, null, 1);
  if ((isText && (LONG_TEXT.test(name) || written.length > 60)) || (!isText && !isNumber)) {
    const area = el("textarea", { ...attributes, rows: isText ? 3 : 4, placeholder: isText ? undefined : "JSON", spellcheck: isText ? undefined : "false" });
    area.value = written;
    return area;
  }
  const type = schema.format === "date" ? "date" : schema.format === "password" ? "password" : "text";
  const input = el("input", { ...attributes, type, inputmode: isNumber && !isText ? "decimal" : undefined, autocomplete: "off" });
  input.value = written;
  return input;
}

/** The value of what a person entered, and what is wrong with it. An empty field is left out. */
function entry(text, schema, kinds, choices, isRequired, before) {
  if (text === "") return isRequired ? [undefined, "is required."] : [undefined, ""];
  if (choices) return [choices[Number(text)], ""];
  if (kinds[0] === "boolean") return [text === "0", ""];
  if (kinds.includes("string") && !(typeof before === "number")) return checkedText(text, schema);
  if (kinds.some((kind) => kind === "integer" || kind === "number")) return checkedNumber(text, schema, kinds);
  try {
    const value = JSON.parse(text);
    if (kinds.length && !kinds.includes(Array.isArray(value) ? "array" : value === null ? "null" : typeof value)) return [undefined, "must be " + kinds.map((kind) => (/^[aeiou]/.test(kind) ? "an " : "a ") + kind).join(" or ") + "."];
    return [value, ""];
  } catch {
    return [undefined, kinds.includes("array") || kinds.includes("object") ? "must be JSON: " + (kinds.includes("array") ? '["a", "b"].' : '{"name": "value"}.') : "must be JSON."];
  }
}

function checkedText(text, { minLength, maxLength }) {
  if (text.length < minLength) return [undefined, "must have at least " + counted(minLength, "character") + "."];
  if (text.length > maxLength) return [undefined, "must have at most " + counted(maxLength, "character") + "."];
  return [text, ""];
}

function checkedNumber(text, { minimum, maximum }, kinds) {
  const value = Number(text);
  if (Number.isNaN(value) || (!kinds.includes("number") && !Number.isInteger(value))) return [undefined, kinds.includes("number") ? "must be a number." : "must be an integer."];
  if (value < minimum) return [undefined, "must be at least " + minimum + "."];
  if (value > maximum) return [undefined, "must be at most " + maximum + "."];
  return [/^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? text : value, ""];  // the server reads digits as an integer
}
