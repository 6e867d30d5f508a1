import { expect, test } from "bun:test";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { ActionStatus } from "./ActionStatus";
import type { ActionProgress } from "./actionProgress";

const mined = { hashes: [], block: 7n };

test.each<[name: string, completed: number, progress: ActionProgress]>([
  ["is prepared", 0, { step: "preparing" }],
  ["waits for a signature", 1, { step: "signing", count: 2, sent: 1 }],
  ["is sent", 2, { step: "signing", count: 2, sent: 2 }],
  ["is mined", 3, { step: "mined", ...mined }],
  ["is shown", 4, { step: "done", ...mined, isBehind: false }],
])("a write that %s has %i completed steps", (_, completed, progress) => {
  const html = renderToStaticMarkup(createElement(ActionStatus, { progress, done: "Done." }));
  expect(html.split("✓").length - 1).toBe(completed);
});
