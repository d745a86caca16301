// Messages between this page and the program that shows it, its host: JSON-RPC of MCP Apps, 2026-01-26.

const REVISION = "2026-01-26";
const host = { can: {}, context: {} };
const waiting = new Map();
const hears = {};
let lastRequest = 0;

const post = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const notify = (method, params) => post({ method, params });

/** Send a request to the host. The promise fails with the host's error. */
function ask(method, params) {
  const id = ++lastRequest;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    post({ id, method, params });
  });
}

// Only the window that holds this page is its host: other frames could send messages as well.
window.addEventListener("message", (event) => {
  const message = event.data;
  if (event.source !== window.parent || !message || typeof message !== "object" || message.jsonrpc !== "2.0") return;
  if (typeof message.method === "string") heard(message);
  else if (waiting.has(message.id)) {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) reject(new Error(String(message.error.message || "The host refused it.")));
    else resolve(message.result || {});
  }
});

function heard({ id, method, params }) {
  if (id === undefined) {
    if (Object.hasOwn(hears, method)) hears[method](params || {});
  } else if (method === "ping" || method === "ui/resource-teardown") post({ id, result: {} });
  else post({ id, error: { code: -32601, message: "This view does not know the method." } });
}

/** Greet the host. Its notifications come only after that. */
async function connect() {
  const found = await ask("ui/initialize", {
    appInfo: { name: "mcpgen-views", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    protocolVersion: REVISION,
  });
  host.can = found.hostCapabilities || {};
  adopt(found.hostContext || {});
  notify("ui/notifications/initialized", {});
  let before = "";
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (before !== (before = size.width + "x" + size.height)) notify("ui/notifications/size-changed", size);
  }).observe(document.documentElement);
}

/** Take over what the host says of its theme, fonts, language and room. */
function adopt(context) {
  Object.assign(host.context, context);
  const root = document.documentElement;
  if (context.theme === "light" || context.theme === "dark") root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables || {})) {
    if (/^--[\w-]+$/.test(name) && typeof value === "string" && !/url\s*\(/i.test(value)) root.style.setProperty(name, value);
  }
  const insets = context.safeAreaInsets;
  if (insets) document.body.style.padding = ["top", "right", "bottom", "left"].map((side) => "calc(1rem + " + (Number(insets[side]) || 0) + "px)").join(" ");
}
hears["ui/notifications/host-context-changed"] = adopt;

/** Call a tool through the host, with the checks that it makes for each call. The server makes its own as well. */
async function call(name, args) {
  if (!host.can.serverTools) throw new Error("This client lets no view call tools.");
  return ask("tools/call", { name, arguments: args });
}

/** The address if a browser may open it, else "". */
function opened(text) {
  try {
    const url = new URL(text);
    return ["https:", "http:", "mailto:"].includes(url.protocol) && !url.username && !url.password ? url.href : "";
  } catch {
    return "";
  }
}

/** A link that the host opens. */
function link(address, label) {
  const href = opened(address);
  if (!href || !host.can.openLinks) return el("span", {}, label);
  const open = (event) => {
    event.preventDefault();
    ask("ui/open-link", { url: href }).catch(() => say("The link was not opened."));
  };
  return el("a", { href, rel: "noreferrer noopener", title: visible(href), click: open }, label);
}
