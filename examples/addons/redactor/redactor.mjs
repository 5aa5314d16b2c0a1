// An interceptor: what looks like an AWS key never reaches the model.
const { Addon } = await import(process.env.INDUS_ADDON_JS);

const KEY = /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g;
const addon = new Addon("redactor", "1.0.0");

addon.exit(null, ({ result }) => {
  const text = JSON.stringify(result);
  const clean = text.replace(KEY, "[an AWS key]");
  if (clean !== text) return JSON.parse(clean);
});

addon.run();
