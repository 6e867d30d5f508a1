import { afterAll, expect, test } from "bun:test";
import { comparable } from "@dueday/api/test/comparable";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startSigningDemo } from "../../test/startSigningDemo";
import { verbs } from "../../test/verbs";

const demo = await startSigningDemo();
const { api, run, id, accounts } = demo;
afterAll(demo.stop);

/** `prepare` has these, each once; `--help` names no other. */
const VERBS = verbs(demo);

test.each(VERBS)("prepare %s prints what to sign, and with --json the answer of the API", async (_, verb) => {
  const from = accounts[verb.who].address;
  const command = ["prepare", ...verb.command, "--from", from];
  const table = await run(command);
  expect(table).toMatchObject({ code: 0, errors: "" });
  expect(table.out).toStartWith(`To sign on chain ${DEVNET_CHAIN_ID}: `);
  expect(table.out).toContain(verb.call);
  // Gas, its price and the times depend on the compiler and the chain.
  expect(
    table.out.replaceAll(/\b0x[0-9a-f]{64}\b|\d+\.\d{6,}|\b\d{5,}\b/g, "N").replaceAll(/ {2,}/g, "  "),
  ).toMatchSnapshot();
  const answer = await fetch(`${api.url}/prepare/${verb.path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ from, ...verb.body }),
  });
  expect(answer.status).toBe(200);
  const json = await run(["--json", ...command]);
  expect(comparable(JSON.parse(json.out))).toEqual(comparable(Object(await answer.json())));
});

test("each action that prepare lists is one of these", async () => {
  const { out } = await run(["prepare", "--help"]);
  const listed = [...out.matchAll(/^ {2}([a-z-]+) \[options\]/gm)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set(VERBS.map(([, { command }]) => command[0])));
});

test("a signer must be named, and what is signed must have its form", async () => {
  const from = ["--from", accounts.joiner.address];
  expect(await run(["prepare", "remit"])).toMatchObject({ code: 2, errors: expect.stringContaining("--from") });
  expect((await run(["prepare", "remit", "--from", "0x12"])).code).toBe(2);
  expect((await run(["prepare", "cancel", "0x12", ...from])).code).toBe(2);
  expect((await run(["prepare", "change-plan", id, "0x12", ...from])).code).toBe(2);
  expect((await run(["prepare", "unsubscribe", id, ...from])).code).toBe(3);
});

test("a number that is not whole is refused here, under the name of its option", async () => {
  const from = ["--from", accounts.joiner.address];
  const create = ["create-subscription", "--amount", "1", "--token", demo.token, "--frequency", "weekly"];
  for (const command of [
    ["subscribe", id, "--periods", "abc"],
    ["approve", id, "--periods", "1.5"],
    ["change-plan", id, id, "--periods", "-1"],
    ["permit", "--token", demo.token, "--periods", ""],
    [...create, "--due-day", "1e1"],
  ]) {
    const option = command.at(-2);
    expect(await run(["prepare", ...command, ...from])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(new RegExp(`${option}.*whole number`)),
    });
  }
});

test("an approval names a plan or a token", async () => {
  const from = ["--from", accounts.member.address];
  const refused = { code: 2, errors: expect.stringContaining("either a plan by its id, or a token with --token") };
  expect(await run(["prepare", "approve", ...from])).toMatchObject(refused);
  expect(await run(["prepare", "approve", id, "--token", demo.token, ...from])).toMatchObject(refused);
  expect((await run(["prepare", "approve", "--token", demo.token, "--exact", ...from])).code).toBe(2);
});
