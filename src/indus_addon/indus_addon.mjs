// Write an addon for `indus` in JavaScript. No dependencies.
//
//     const { Addon } = await import(process.env.INDUS_ADDON_JS);
//     const addon = new Addon("guard");
//     addon.on("tool:before", { gate: true }, (payload) => {
//       if (JSON.stringify(payload.args).includes("--force")) return "not with --force";
//     });
//     addon.run();
//
// A handler gets its argument and a call: `signal` (an AbortSignal), `progress(text)`, `host`. It
// may be async. What it throws fails its call: then a gate stops, an interceptor blocks.

const PROTOCOL = 1;
const UNKNOWN_METHOD = -32601;
const CANCELLED = -32003;
const FAILED = -32004;

export class HostRefused extends Error {
  constructor(error) {
    super(error.message ?? "the host refused");
    this.code = error.code;
    this.reason = error.data?.name ?? "";
  }
}

class Wire {
  #waiting = new Map();
  #last = 0;
  #write;

  constructor() {
    // Standard output is for messages: what the addon prints goes to stderr.
    this.#write = process.stdout.write.bind(process.stdout);
    process.stdout.write = process.stderr.write.bind(process.stderr);
  }

  send(message) {
    this.#write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  }

  ask(method, params) {
    const id = ++this.#last;
    this.send({ id, method, params });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  answered(message) {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(new HostRefused(message.error));
    else waiting?.resolve(message.result);
  }
}

class Host {
  #wire;

  constructor(wire, granted) {
    this.#wire = wire;
    this.granted = new Set(granted);
  }

  sendMessage(text) { return this.#wire.ask("send_message", { text }); }
  setModel(model) { return this.#wire.ask("set_model", { model }); }
  setThinking(level) { return this.#wire.ask("set_thinking", { level }); }
  exec(command) { return this.#wire.ask("exec", { command }); }
  notify(text) { return this.#wire.ask("notify", { text }); }
  async stateGet(key) { return (await this.#wire.ask("state/get", { key })).value; }
  stateSet(key, value) { return this.#wire.ask("state/set", { key, value }); }
  log(text, level = "info") { this.#wire.send({ method: "log", params: { level, text } }); }
}

export class Addon {
  #needs = [];
  #events = [];
  #stages = [];
  #commands = new Map();
  #tools = new Map();
  #tasks = new Map();
  #calls = new Map();
  #running = new Map();
  #host;
  #wire;

  constructor(name, version = "", description = "") {
    this.name = name;
    this.version = version;
    this.description = description;
  }

  /** Ask the person for a capability, e.g. `scoped-fs(execute)`, and say why. */
  needs(name, reason, { required = false } = {}) { this.#needs.push({ name, reason, required }); }

  /**
   * `{gate: true}` returns the reason why not; `{transform: true}` returns the new payload. With
   * `{tool: "bash"}` it hears only of that tool.
   */
  on(event, { gate = false, transform = false, tool = null }, handler) {
    const kind = gate ? "gate" : transform ? "transform" : "observe";
    this.#events.push({ event, kind, tool, handler });
  }

  /** Return new arguments, the reason why the call is blocked, or nothing. `tool` may be null. */
  enter(tool, handler) { this.#stages.push({ tool, stage: "enter", handler }); }

  /** Return the new result, or its text, or nothing. */
  exit(tool, handler) { this.#stages.push({ tool, stage: "exit", handler }); }

  command(name, summary, handler) { this.#commands.set(name, { summary, handler }); }

  tool(name, description, parameters, handler) {
    this.#tools.set(name, { description, parameters, handler });
  }

  /** The handler gets its call; it ends when the call's signal says so. */
  task(name, description, handler, { restarts = 0 } = {}) {
    this.#tasks.set(name, { description, restarts, handler });
  }

  run() {
    this.#wire = new Wire();
    this.#host = new Host(this.#wire, []);
    let rest = "";
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (piece) => {
      // Not `readline`: it also breaks lines at U+2028, which may stand in a JSON string.
      const lines = (rest + piece).split("\n");
      rest = lines.pop();
      for (const line of lines) this.#heard(JSON.parse(line));
    });
    process.stdin.on("end", () => process.exit(0));
  }

  #heard({ method, params, id, ...answer }) {
    if (method === undefined) this.#wire.answered({ id, ...answer });
    else if (method === "initialize") {
      this.#host = new Host(this.#wire, params.granted);
      this.#wire.send({ id, result: this.#registration() });
    } else if (method === "shutdown") {
      this.#wire.send({ id, result: null });
      process.stdin.destroy();
      setImmediate(() => process.exit(0));
    } else if (method === "$/cancel") this.#cancel(params.id);
    else if (id !== undefined) this.#serve(id, method, params);
  }

  #registration() {
    return {
      protocol: PROTOCOL,
      name: this.name,
      version: this.version,
      description: this.description,
      register: {
        events: this.#events.map(({ event, kind, tool }) => ({ event, kind, tool })),
        interceptors: this.#stages.map(({ tool, stage }) => ({ tool, [stage]: true })),
        commands: [...this.#commands].map(([name, { summary }]) => ({ name, summary })),
        tools: [...this.#tools].map(([name, { description, parameters }]) => ({
          name, description, parameters,
        })),
        tasks: [...this.#tasks].map(([name, { description, restarts }]) => ({
          name, description, restarts,
        })),
        capabilities: this.#needs,
      },
    };
  }

  async #serve(id, method, params) {
    const stop = new AbortController();
    const progress = (text) => this.#wire.send({ method: "progress", params: { call: id, text } });
    const call = { id, params, signal: stop.signal, progress, host: this.#host };
    this.#calls.set(id, stop);
    try {
      this.#done(id, { result: (await this.#answer(method, params, call, stop)) ?? null });
    } catch (error) {
      if (!(error instanceof UnknownMethod)) console.error(error);
      const code = error instanceof UnknownMethod ? UNKNOWN_METHOD : FAILED;
      this.#done(id, { error: { code, message: String(error?.message ?? error) } });
    }
  }

  #done(id, answer) {
    if (this.#calls.delete(id)) this.#wire.send({ id, ...answer });
  }

  #cancel(id) {
    this.#calls.get(id)?.abort();
    this.#done(id, { error: { code: CANCELLED, message: "it was cancelled" } });
  }

  async #answer(method, params, call, stop) {
    const { handler, name, args, payload } = params;
    switch (method) {
      case "event":
        return said(this.#events[handler].kind, await this.#events[handler].handler(payload, call));
      case "enter":
        return entered(await this.#stages[handler].handler(params, call));
      case "exit":
        return left(await this.#stages[handler].handler(params, call));
      case "command":
        return { text: (await this.#commands.get(name).handler(args, call)) ?? null };
      case "tool":
        return result(await this.#tools.get(name).handler(args, call));
      case "task/start":
        this.#running.set(name, stop);
        try {
          await this.#tasks.get(name).handler(call);
        } finally {
          this.#running.delete(name);
        }
        return null;
      case "task/stop":
        this.#running.get(name)?.abort();
        return null;
      default:
        throw new UnknownMethod(`there is no ${method}`);
    }
  }
}

class UnknownMethod extends Error {}

// What is unclear is an error, so that the host decides on the safe side.

function said(kind, outcome) {
  if (kind === "observe") return null;
  if (kind === "transform") return outcome == null ? null : { payload: outcome };
  if (outcome == null) return { stop: false };
  if (typeof outcome === "string") return { stop: true, reason: outcome };
  throw new TypeError("a gate returns a reason or nothing");
}

function entered(outcome) {
  if (outcome == null) return { action: "continue" };
  if (typeof outcome === "string") return { action: "block", reason: outcome };
  if (typeof outcome === "object") return { action: "rewrite", args: outcome };
  throw new TypeError("enter returns arguments, a reason or nothing");
}

function left(outcome) {
  return outcome == null ? { action: "continue" } : { action: "rewrite", result: result(outcome) };
}

function result(outcome) {
  if (typeof outcome === "string") return { content: [{ type: "text", text: outcome }] };
  if (outcome !== null && typeof outcome === "object") return outcome;
  throw new TypeError("a result is a text, or an object with content");
}
