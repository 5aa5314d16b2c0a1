// A gate: no force push, whoever asks for it.
const { Addon } = await import(process.env.INDUS_ADDON_JS);

const addon = new Addon("safety", "1.0.0");

addon.on("tool:before", { gate: true }, ({ name, args }) => {
  if (name === "bash" && args.command?.includes("push --force")) return "no force push from here";
});

addon.run();
