// The page as a whole: what the host says comes in, and one of the views is drawn.

const state = { tool: "", title: "Result", view: {}, schema: null, input: {}, pages: [], page: 0, before: NEW, items: [], problem: "" };

/** Draw the pages anew. Until then each keeps its nodes, and with them what a person filtered, opened or wrote. */
function forget() {
  for (const each of state.pages) each.parts = undefined;
}

/** Take over what the server says of a tool. */
function learn(told) {
  if (!told || typeof told !== "object") return;
  if (typeof told.tool === "string" && told.tool !== state.tool) {
    if (state.tool && state.input.arguments) state.input = state.input.arguments;
    state.tool = told.tool;
    state.schema = null;
  }
  if (typeof told.title === "string" && told.title) state.title = told.title;
  if (told.inputSchema && typeof told.inputSchema === "object") state.schema = told.inputSchema;
  state.view = { ...state.view, ...told };
  forget();
}

hears["ui/notifications/tool-input"] = async ({ arguments: given }) => {
  state.input = given && typeof given === "object" ? given : {};
  if (!state.pages.length) draw();
  if (state.view.method) {
    state.before = await stateBefore(state.view, state.input);
    forget();
    draw();
  }
};

hears["ui/notifications/tool-result"] = (result) => {
  const found = read(result);
  learn(found.view);
  state.pages = [{ found, input: state.input }];
  state.page = 0;
  state.items = [];
  draw();
  if (!state.schema) look();
};

hears["ui/notifications/tool-cancelled"] = () => {
  say("The call was cancelled.");
};

/** Call the tool for another page, or again with other arguments. */
async function again(args, isPage) {
  say("Waiting for the answer\u2026");
  byId("view").setAttribute("aria-busy", "true");
  try {
    const found = read(await call(state.tool, args));
    if (found.failed) throw new Error(found.text || "The call failed.");
    state.problem = "";
    if (isPage) state.pages = [...state.pages.slice(0, state.page + 1), { found, input: args }];
    else state.pages = [{ found, input: args }];
    state.page = state.pages.length - 1;
    state.items = [];
    if (!isPage) state.input = args;
    say(isPage ? "Page " + (state.page + 1) : "Done.");
    if (!isPage && host.can.updateModelContext) ask("ui/update-model-context", { content: [{ type: "text", text: "In the view, the user called " + state.tool + " with " + JSON.stringify(args) + ". Its result:\n" + found.text }] }).catch(() => {});
  } catch (problem) {
    state.problem = problem.message;
    say("");
  }
  byId("view").removeAttribute("aria-busy");
  draw();
}

function draw() {
  const there = state.pages[state.page], focused = document.activeElement;
  const parts = !there ? waitingParts() : state.items.length ? openedParts(there, state.items) : (there.parts ??= drawn(there));
  byId("view").replaceChildren(...[state.problem && el("p", { class: "failure", role: "alert" }, state.problem), ...[parts].flat(Infinity)].filter(Boolean));
  document.title = visible(state.title);
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

/** Before the result is there: what the call is about to do. */
function waitingParts() {
  const changing = state.view.method && Object.keys(state.input).length > 0;
  return [el("h1", {}, state.title), changing && changes(state.view, state.input, state.before, state.title), el("p", { class: "quiet waiting" }, "Waiting for the answer\u2026")];
}

/** An object inside of a page, below a button that leads back. */
function openedParts({ found }, items) {
  const { value, name } = items.at(-1), title = state.view.title || state.title;
  const isItem = items.length === 1 && listIn(found.value, state.view) !== null;
  return [button(isItem ? "Back to the list" : "Back", back, { class: "back" }), card(value, isItem ? state.view : {}, name ? worded(name) : title, isItem && about(value))];
}

function drawn({ found, input }) {
  const view = state.view, title = view.title || state.title;
  const notes = found.notes.length > 0 && el("ul", { class: "notes quiet" }, found.notes.map((each) => el("li", {}, each)));
  const pictures = found.pictures.map((each) => el("img", { class: "picture", alt: visible(title), src: "data:" + each.mimeType + ";base64," + each.data }));
  if (found.failed) return [el("h1", {}, title), el("p", { class: "failure lines", role: "alert" }, found.text), formSection(view, input, true)];
  const list = found.value === undefined ? null : listIn(found.value, view);
  const changed = state.before !== NEW && view.method && view.method !== "DELETE" && el("details", {}, el("summary", {}, "Before and after"), changes(view, input, state.before, title));
  let main;
  if (list) main = table(list, view, title, { page: state.page + 1, next: found.next && host.can.serverTools && (() => turn(1, { ...input, ...found.next })), former: state.page > 0 && (() => turn(-1)) });
  else if (found.value !== undefined) main = card(objectIn(found.value, view), view, title);
  else main = el("section", { class: "card" }, el("h1", {}, title), pictures.length ? null : el("p", { class: "lines" }, found.text));
  return [main, pictures, changed, notes, formSection(view, input, view.kind === "form" && view.method !== "DELETE")];
}

/** Show an object inside of what is shown. The way back leads to the same place. */
byId("view").addEventListener("opened", ({ detail, target }) => {
  state.items.push({ ...detail, from: target, top: window.scrollY });
  draw();
  byId("view").focus({ preventScroll: true });
  window.scrollTo(0, 0);
});

function back() {
  const { from, top } = state.items.pop();
  draw();
  (from.isConnected ? from : byId("view")).focus({ preventScroll: true });
  window.scrollTo(0, top);
}

function turn(step, args) {
  if (step > 0 && state.page + 1 >= state.pages.length) return again(args, true);
  state.page += step;
  say("Page " + (state.page + 1) + ".");
  draw();
  return byId("view").focus();
}

/** A button that lets the user ask the model about an item. Only an id goes into the message: other texts of an answer could be read as instructions. */
function about(item) {
  const id = ["id", "key", "number", "uuid"].map((name) => item[name]).find((each) => /^[\w.:-]{1,64}$/.test(String(each ?? "")));
  if (id === undefined || !host.can.message) return null;
  const text = "Tell me more about the item with the id " + id + " in the result of " + state.tool + ".";
  return button("Ask about this", () => ask("ui/message", { role: "user", content: [{ type: "text", text }] }).catch(() => say("The message was not sent.")));
}

/** The form to call the tool again. A call that changes something is sent only after a panel has said what it does. */
function formSection(view, input, isOpen) {
  if (!state.schema || !state.tool || !host.can.serverTools) return null;
  const place = el("div", {});
  const send = async (values) => {
    if (!view.method) return again(values, false);
    const before = await stateBefore(view, values);
    const yes = button("Call " + state.tool, () => again(values, false), { class: "main" });
    place.replaceChildren(changes(view, values, before, view.title || state.title, [yes, button("Cancel", () => place.replaceChildren())]));
    yes.focus();
    return undefined;
  };
  const made = form(state.schema, input, send, { label: view.method ? "Review" : "Call again", title: "Arguments of " + state.tool });
  return el("details", { class: "again", open: isOpen }, el("summary", {}, view.method ? "Arguments" : "Change the arguments"), made, place);
}

/** Read from the server what the host does not tell of the tool: its view, and the schema of its arguments. */
async function look() {
  if (!state.tool || !host.can.serverResources) return;
  const found = await ask("resources/read", { uri: "ui://views/" + encodeURIComponent(state.tool) }).catch(() => ({}));
  learn(parsed(found.contents?.[0]?.text, null));
  draw();
}

async function begin() {
  await connect();
  const tool = host.context.toolInfo?.tool;
  if (tool && typeof tool === "object") learn({ tool: tool.name, title: tool.title || tool.annotations?.title || tool.name, inputSchema: tool.inputSchema });
  await look();
  if (state.view.method && Object.keys(state.input).length && !state.pages.length) await hears["ui/notifications/tool-input"]({ arguments: state.input });
  draw();
}

draw();
begin().catch((problem) => say("This view could not be connected: " + problem.message));
