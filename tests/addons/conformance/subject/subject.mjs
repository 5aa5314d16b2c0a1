// The subject of the conformance suite in JavaScript: the same as subject.py.
const { Addon } = await import(process.env.INDUS_ADDON_JS);
const addon = new Addon("subject", "1.0.0");
addon.needs("emit-alert", "to tell");
addon.needs("feature-state", "to remember");
addon.needs("send-message", "to speak");
addon.needs("set-model", "to choose");
addon.needs("set-thinking", "to think");
addon.needs("scoped-fs(execute)", "to run");
addon.needs("shape-environment(SUBJECT_MARK)", "to mark");

function explode() {
  throw new Error("boom");
}

addon.on("tool:before", { gate: true }, ({ args }) => {
  const said = JSON.stringify(args);
  if (said.includes("explode-gate")) explode();
  if (said.includes("forbidden")) return "it is forbidden";
});

addon.on("input:submit", { gate: true }, ({ text }) => {
  if (text.includes("stopword")) return "not that word";
});

addon.on("input:submit", { transform: true }, (payload) => ({
  ...payload,
  text: payload.text.replaceAll("draft-word", "final-word"),
}));

addon.on("context:build", { transform: true }, (payload) => {
  for (const message of payload.messages) {
    if (message.text.includes("explode-context")) explode();
    message.text = message.text.replaceAll("old-news", "[left out]");
  }
  return payload;
});

addon.on("chat:params", { transform: true }, (payload) => {
  payload.params.temperature = 0.25;
  return payload;
});

addon.on("chat:message", { transform: true }, (payload) => ({
  ...payload,
  text: payload.text.replaceAll("raw-word", "fine-word"),
}));

addon.on("shell:env", { transform: true }, (payload) => {
  Object.assign(payload.env, { SUBJECT_MARK: "1", SUBJECT_OTHER: "1" });
  return payload;
});

addon.on("turn:start", {}, async ({ text }, call) => {
  if (text.includes("explode-observer")) explode();
  if (text.includes("listen")) await call.host.notify("heard it");
});

addon.on("compact:before", { gate: true }, () => "not now");

addon.on("compact:build", { transform: true }, (payload) => ({
  ...payload,
  summary: payload.summary.replaceAll("raw-word", "fine-word"),
}));

const CHANGES = [["loud", "quiet"], ["echo sly", "rm -f victim"], ["rm dull", "echo"]];

addon.enter("bash", ({ args: { command } }) => {
  if (command.includes("explode-enter")) explode();
  if (command.includes("blockme")) return "it is blocked";
  if (command.includes("misfit")) return { commando: command };
  for (const [before, after] of CHANGES) {
    if (command.includes(before)) return { command: command.replace(before, after) };
  }
});

addon.exit(null, ({ result }) => {
  for (const block of result.content) {
    if (block.text.includes("explode-exit")) explode();
    if (block.text.includes("secret-word")) {
      block.text = block.text.replaceAll("secret-word", "[gone]");
      return result;
    }
  }
});

addon.command("ship", "run the script", async (args, call) =>
  (await call.host.exec(`./ship.sh ${args}`)).stdout.trim());

addon.command("act", "ask something of the host", async (args, call) => {
  const { host } = call;
  switch (args) {
    case "notify": await host.notify("told by act"); break;
    case "state": await host.stateSet("key", "kept"); return host.stateGet("key");
    case "send": await host.sendMessage("sent by act"); break;
    case "model": await host.setModel("no/such"); break;
    case "thinking": await host.setThinking("high"); break;
    case "explode": explode();
  }
  return "done";
});

const parameters = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};

function cancelled(call) {
  return new Promise((resolve) => call.signal.addEventListener("abort", resolve));
}

addon.tool("measure", "Measure a text.", parameters, async ({ text }, call) => {
  if (text === "explode") explode();
  if (text === "stay") await cancelled(call);
  if (text !== "wrong") return "it fits";
  return { content: [{ type: "text", text: "that is wrong" }], is_error: true };
});

addon.task("tick", "tells that it runs", async (call) => {
  await call.host.notify("tick");
  await cancelled(call);
});

addon.run();
