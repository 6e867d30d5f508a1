import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { runInTerminal } from "../test/runInTerminal";
import { PASSWORD, startSigningDemo } from "../test/startSigningDemo";
import { buildPackage } from "../tools/buildPackage";

// Inside the package, where the library of arguments is found as in an installed one.
const folder = join(import.meta.dir, `../build/terminal-${process.pid}`);
const demo = await startSigningDemo();
const { api, id, accounts, signing, nonceOf } = demo;
await buildPackage(folder);
afterAll(async () => {
  await demo.stop();
  await rm(folder, { recursive: true });
});

const env = { DUEDAY_API: api.url };
const command = join(folder, "dist/cli.js");
const due = ["due", "--date", "2026-09-18"];
const BOLD = "\u001b[1m";

test.each(["node", process.execPath])(
  "under %s a terminal has bold titles, and none with NO_COLOR",
  async (program) => {
    const { screen, code } = await runInTerminal([program, command, ...due], { columns: 200, env });
    expect(code).toBe(0);
    expect(screen).toStartWith(`${BOLD}Due on 2026-09-18\u001b[22m\nfrequency  plan  `);
    const plain = await runInTerminal([program, command, ...due], { columns: 200, env: { ...env, NO_COLOR: "1" } });
    expect(plain.screen).toStartWith("Due on 2026-09-18\nfrequency  plan  ");
    expect(plain.screen).not.toContain("\u001b");
    expect((await runInTerminal([program, command, "--help"], { columns: 60 })).screen).toContain(`${BOLD}Usage:`);
  },
);

test.each([40, 80, 200])("no line is broken by a terminal of %p columns, and ids stay whole", async (columns) => {
  const { screen } = await runInTerminal([process.execPath, command, ...due], { columns, env });
  const tables = Bun.stripANSI(screen);
  expect(tables).toContain(id);
  // A block has the longest value of the row, which is its id.
  const longest = Math.max(...tables.split("\n").map(({ length }) => length));
  expect(longest).toBeLessThanOrEqual(Math.max(columns, "subscribers  ".length + id.length));
  expect(tables.includes("frequency  plan")).toBe(columns > 120);
});

test.each(["node", process.execPath])("under %s --send asks: a no signs nothing, a yes signs", async (program) => {
  const sending = [program, command, "prepare", "approve", id, "--periods", "6", ...signing("member")];
  const before = await nonceOf("member");
  const answers = (answer: string) => [
    { after: "Password of the keystore: ", type: PASSWORD },
    { after: "Sign and send? [y/N] ", type: answer },
  ];
  const refused = await runInTerminal(sending, { columns: 100, env, answers: answers("n") });
  expect(refused).toMatchObject({ code: 3, unanswered: [] });
  expect(refused.screen).toContain("Nothing was signed");
  expect(refused.screen).not.toContain(PASSWORD);
  expect(await nonceOf("member")).toBe(before);
  const signed = await runInTerminal(sending, { columns: 100, env, answers: answers("y") });
  expect(signed).toMatchObject({ code: 0, unanswered: [] });
  expect(signed.screen).toContain(accounts.member.address);
  expect(signed.screen.indexOf("approve()")).toBeLessThan(signed.screen.indexOf("Sign and send?"));
  expect(signed.screen).toMatch(/sent 0x[0-9a-f]{64}/);
  expect(await nonceOf("member")).toBe(before + 1);
});

test("the end of the input at the question is a no", async () => {
  const sending = [process.execPath, command, "prepare", "approve", id, ...signing("member"), "--password-file"];
  const answers = [{ after: "Sign and send? [y/N] ", type: "\u0004" }];
  const ended = await runInTerminal([...sending, demo.passwordFile], { columns: 100, env, answers });
  expect(ended).toMatchObject({ code: 3, unanswered: [] });
});
