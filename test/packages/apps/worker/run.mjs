import { Miniflare } from "miniflare";

// Prints what the bundled worker answers in workerd: `node run.mjs <service>`.
const [service] = process.argv.slice(2);
const worker = new Miniflare({
  modules: true,
  scriptPath: "worker.js",
  compatibilityDate: "2026-04-01",
  bindings: { DUEDAY_URL: service, WEBHOOK_SECRET: "whsec_YSBzZWNyZXQgb2YgdGhpcnR5LXR3byBieXRlcyAuLi4=" },
});
const plans = await worker.dispatchFetch("http://worker.example/");
const unsigned = await worker.dispatchFetch("http://worker.example/", { method: "POST", body: "{}" });
console.log(JSON.stringify({ plans: await plans.json(), unsigned: [unsigned.status, await unsigned.text()] }));
await worker.dispose();
