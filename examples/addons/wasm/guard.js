// A guard: stops `rm -rf`, marks the shell's environment, takes `sudo` out of commands and secrets
// out of results; with a command and a tool. The same as guard.c and guard.py.

import { sendMessage } from "indus:addon/session@1.0.0";

const parameters = {
  type: "object",
  properties: { text: { type: "string" } },
  required: ["text"],
  additionalProperties: false,
};

export function register() {
  return JSON.stringify({
    id: "guard",
    version: "1.0.0",
    events: [
      { event: "tool:before", kind: "gate" },
      { event: "shell:env", kind: "transform" },
    ],
    interceptors: [{ tool: "bash", enter: true }, { exit: true }],
    commands: [{ name: "greet", summary: "greet somebody by name" }],
    tools: [{ name: "count_words", description: "Count the words of a text.", parameters }],
    capabilities: [
      { name: "send-message", reason: "to greet" },
      { name: "shape-environment(GUARDED)", reason: "to mark commands" },
    ],
  });
}

export function handle(handler, event, payload) {
  if (event === "tool:before" && payload.includes("rm -rf")) {
    return { tag: "stopped", val: "rm -rf is not allowed here" };
  }
  if (event === "shell:env") {
    const about = JSON.parse(payload);
    about.env.GUARDED = "1";
    return { tag: "transformed", val: JSON.stringify(about) };
  }
  return { tag: "unchanged" };
}

export function enter(handler, tool, callId, args) {
  if (args.includes("shutdown")) return { tag: "blocked", val: "this machine stays up" };
  if (args.includes("sudo ")) return { tag: "rewritten", val: args.replace("sudo ", "") };
  return { tag: "proceed" };
}

export function leave(handler, tool, callId, args, answer, error) {
  const clean = answer.replace(/sk-[0-9A-Za-z-]{9,}/g, "[gone]");
  return clean === answer ? { tag: "kept" } : { tag: "rewritten", val: clean };
}

export function command(name, args, cwd) {
  const reply = sendMessage(`hello, ${args}`);
  if (reply.tag !== "done") throw reply.val;
  return "greeted";
}

export function callTool(name, callId, args) {
  const words = JSON.parse(args).text.split(/\s+/).filter((word) => word !== "");
  return { text: String(words.length), isError: false };
}
