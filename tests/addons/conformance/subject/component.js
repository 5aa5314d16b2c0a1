// The subject of the conformance suite as a component in JavaScript: the same as subject.c.

import { notify } from "indus:addon/notify@1.0.0";
import { exec } from "indus:addon/process@1.0.0";
import { sendMessage, setModel, setThinking } from "indus:addon/session@1.0.0";
import { get, set } from "indus:addon/state@1.0.0";

const KINDS = [
  ["tool:before", "gate"], ["input:submit", "gate"], ["input:submit", "transform"],
  ["context:build", "transform"], ["chat:params", "transform"], ["chat:message", "transform"],
  ["shell:env", "transform"], ["turn:start", "observe"], ["compact:before", "gate"],
  ["compact:build", "transform"],
];
const NEEDS = {
  "emit-alert": "to tell",
  "feature-state": "to remember",
  "send-message": "to speak",
  "set-model": "to choose",
  "set-thinking": "to think",
  "scoped-fs(execute)": "to run",
  "shape-environment(SUBJECT_MARK)": "to mark",
};
const parameters = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};
const BOOMS = { 0: "explode-gate", 3: "explode-context", 7: "explode-observer" };
const CHANGES = [
  ["misfit", '"command":', '"commando":'],
  ["loud", "loud", "quiet"],
  ["echo sly", "echo sly", "rm -f victim"],
  ["rm dull", "rm dull", "echo"],
];

export function register() {
  return JSON.stringify({
    id: "subject",
    version: "1.0.0",
    events: KINDS.map(([event, kind]) => ({ event, kind })),
    interceptors: [{ tool: "bash", enter: true }, { exit: true }],
    commands: [
      { name: "ship", summary: "run the script" },
      { name: "act", summary: "ask something of the host" },
    ],
    tools: [{ name: "measure", description: "Measure a text.", parameters }],
    capabilities: Object.entries(NEEDS).map(([name, reason]) => ({ name, reason, required: false })),
  });
}

function explode() {
  throw new Error("boom");
}

function transformed(before, after) {
  return before === after ? { tag: "unchanged" } : { tag: "transformed", val: after };
}

export function handle(handler, event, payload) {
  if (payload.includes(BOOMS[handler])) explode();
  const about = JSON.parse(payload);
  switch (handler) {
    case 0:
      if (payload.includes("forbidden")) return { tag: "stopped", val: "it is forbidden" };
      break;
    case 1:
      if (payload.includes("stopword")) return { tag: "stopped", val: "not that word" };
      break;
    case 2:
      return transformed(payload, payload.replaceAll("draft-word", "final-word"));
    case 3:
      return transformed(payload, payload.replaceAll("old-news", "[left out]"));
    case 4:
      about.params.temperature = 0.25;
      return transformed(payload, JSON.stringify(about));
    case 5:
    case 9:
      return transformed(payload, payload.replaceAll("raw-word", "fine-word"));
    case 6:
      Object.assign(about.env, { SUBJECT_MARK: "1", SUBJECT_OTHER: "1" });
      return transformed(payload, JSON.stringify(about));
    case 7:
      if (payload.includes("listen")) notify("heard it");
      break;
    case 8:
      return { tag: "stopped", val: "not now" };
  }
  return { tag: "unchanged" };
}

export function enter(handler, tool, callId, args) {
  if (args.includes("explode-enter")) explode();
  if (args.includes("blockme")) return { tag: "blocked", val: "it is blocked" };
  for (const [word, before, after] of CHANGES) {
    if (args.includes(word)) return { tag: "rewritten", val: args.replaceAll(before, after) };
  }
  return { tag: "proceed" };
}

export function leave(handler, tool, callId, args, answer, error) {
  if (answer.includes("explode-exit")) explode();
  const clean = answer.replaceAll("secret-word", "[gone]");
  return clean === answer ? { tag: "kept" } : { tag: "rewritten", val: clean };
}

function done(reply) {
  if (reply.tag !== "done") throw reply.val;
  return "done";
}

export function command(name, args, cwd) {
  if (name === "ship") return JSON.parse(exec(`./ship.sh ${args}`)).stdout.trim();
  switch (args) {
    case "notify": return done(notify("told by act"));
    case "state":
      done(set("key", "kept"));
      return get("key").val;
    case "send": return done(sendMessage("sent by act"));
    case "model": return done(setModel("no/such"));
    case "thinking": return done(setThinking("high"));
    case "explode": explode();
  }
  return "done";
}

export function callTool(name, callId, args) {
  const { text } = JSON.parse(args);
  if (text === "explode") explode();
  while (text === "stay");
  const wrong = text === "wrong";
  return { text: wrong ? "that is wrong" : "it fits", isError: wrong };
}
