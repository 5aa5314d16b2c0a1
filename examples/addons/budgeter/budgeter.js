// A budget: long old texts leave a context of over LIMIT tokens, and answers are short.
// The same as budgeter.py, as a component: build it with componentize-qjs (see scripts/build_guests.py).

const LIMIT = 2000;
const LONG = 400;
const RECENT = 1;
const ANSWER = 1024;

export function register() {
  return JSON.stringify({
    id: "budgeter",
    version: "1.0.0",
    description: "Keeps the context small.",
    events: [
      { event: "context:build", kind: "transform" },
      { event: "chat:params", kind: "transform" },
    ],
  });
}

const tokens = (messages) => Math.floor(messages.reduce((sum, one) => sum + one.text.length, 0) / 4);

function shorten(payload) {
  for (const message of payload.messages.slice(0, -RECENT)) {
    if (tokens(payload.messages) <= LIMIT) break;
    if (message.role === "user" && message.text.length / 4 > LONG) {
      const size = message.text.length.toString().replace(/\B(?=(\d{3})+$)/g, ",");
      message.text = `[${size} characters left out to stay within the budget]`;
    }
  }
}

export function handle(handler, event, payload) {
  const about = JSON.parse(payload);
  if (event === "context:build") shorten(about);
  else about.params.max_output = Math.min(about.params.max_output, ANSWER);
  return { tag: "transformed", val: JSON.stringify(about) };
}

export function enter() { return { tag: "proceed" }; }

export function leave() { return { tag: "kept" }; }

export function command() { return undefined; }

export function callTool() { return { text: "there is no such tool", isError: true }; }
