import { afterAll, describe, expect, test } from "bun:test";
import { BEHIND_PROXY, callApi, someAddress } from "@dueday/api/test/callApi";
import { gatherDemoWorld } from "@dueday/api/test/fuzz/demoWorld";
import { type DocumentedOperation, type OpenApiDocument, readDocument } from "@dueday/api/test/fuzz/readDocument";
import { crossed, type FuzzRequest, fitting, requestOf, spoiled } from "@dueday/api/test/fuzz/request";
import { SECRETS_KEY, validInputs } from "@dueday/api/test/fuzz/validInputs";
import { indexTestChain } from "@dueday/api/test/indexTestChain";
import { keepDemoPermit } from "@dueday/api/test/keepDemoPermit";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { resolveReferences } from "@dueday/api/test/resolveReferences";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { Subscription } from "@dueday/core/schema";
import { confirmTestWebhook } from "@dueday/db/test/confirmTestWebhook";
import { planToken, signPermit } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import { Value } from "@sinclair/typebox/value";
import Ajv2020 from "ajv/dist/2020";
import fc from "fast-check";
import type { Hex } from "viem";
import { compileSchema } from "../../operation/compileSchema";
import type { Operation } from "../../operation/defineOperation";
import { summarizeSchema } from "../../operation/summarize";
import { operations } from "../../operations/operations";

const operationList: readonly Operation[] = operations;

/** For each operation. */
const CASES = testDepth === 1 ? 30 : 100 * testDepth;
/**
 * Of each ten cases, four are valid by construction, two are valid ones crossed with each other (most break a rule), two fit
 * the document and mean nothing, and two need not even fit.
 */
const OF_TEN = { valid: 4, crossed: 2, fitting: 2, spoiled: 2 };
const AT_ONCE = 8;
const NOW_SECONDS = 1_790_000_000;
/** No worker confirms the index while the test runs. */
const UNHURRIED = { STALE_AFTER_MS: "86400000" };
const ADMIN_SECRET = "the admin secret of the fuzz test";
const ORIGIN = "http://localhost:3000";

const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
const { contract } = devnet;
const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [devnet.url], requestTimeoutMs: 20_000 });
await indexTestChain({ database: database.database, client, contract });
const api = await startTestApi({
  database,
  rpcUrl: devnet.url,
  contract,
  env: {
    ...BEHIND_PROXY,
    ADMIN_SECRET,
    SECRETS_KEY,
    PUBLIC_URL: ORIGIN,
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "reminders@dueday.example",
    CHAIN_31337_TOKENS: devnet.tokens.join(","),
    ...UNHURRIED,
  },
});
afterAll(async () => {
  await api.stop();
  await devnet.stop();
});

const admin = { "X-Service-Admin-Key": ADMIN_SECRET };
const wallet = someWallet();
const browser = openPortalBrowser(api, ORIGIN);
await browser.signIn(wallet);
/** Whose valid inputs are answered 2xx only once, or five times a minute. */
const SCARCE = ["create_portal_session", "create_portal_key", "set_portal_reminders", "confirm_reminders"];
// What the tests of the document validate: the form of OpenAPI.
const document = resolveReferences(JSON.parse((await callApi(api, "/openapi.json")).text)) as OpenApiDocument;
// Optimizing the code of the checks takes longer than it saves.
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } });
ajv.addSchema(document, "openapi");

const owner = await createKey(crypto.randomUUID());
/** A subject may have 100 webhooks: valid creations come from several. */
const creators = await Promise.all(Array.from({ length: Math.ceil(CASES / 50) }, () => createKey(crypto.randomUUID())));
let created = 0;
const payerKey = await createKey(`eip155:${wallet.address}`);

/** The credentials of a request: webhooks have an owner, and the portal has a session. */
function credentialsOf({ id, path }: DocumentedOperation): Record<string, string> {
  // Signing out would end the session of the others.
  const cookie = id === "end_portal_session" ? {} : { Cookie: String(browser.cookie) };
  if (path.startsWith("/portal/")) return { Origin: ORIGIN, ...cookie };
  if (path.startsWith("/permits")) return { Authorization: `Bearer ${payerKey.key}` };
  if (!path.startsWith("/webhooks")) return admin;
  // The copies are more than a subject can have, so others list theirs.
  const key = id === "create_webhook" || id === "list_webhooks" ? creators[created++ % creators.length] : owner;
  return { Authorization: `Bearer ${key?.key}` };
}

async function createWebhook(): Promise<{ id: string; deliveryId: string }> {
  const headers = { Authorization: `Bearer ${owner.key}` };
  const body = { url: "https://93.184.216.34/hook" };
  const { id } = (await callApi(api, "/webhooks", { method: "POST", headers, body })).body;
  await confirmTestWebhook(database.database, String(id), new Date());
  const test = await callApi(api, `/webhooks/${id}/test`, { method: "POST", headers });
  return { id: String(id), deliveryId: String(test.body.id) };
}

const webhooks = await Promise.all(Array.from({ length: 5 }, createWebhook));

/** Copies of the first webhook. */
async function copyWebhooks(count: number): Promise<string[]> {
  const rows = await database.database.sql<{ id: string }[]>`
    insert into webhooks (id, chain_id, contract, subject_id, url, host, confirmed_at, secret, enabled, after_seq, revision, created_at, updated_at)
    select gen_random_uuid(), chain_id, contract, subject_id, url, host, confirmed_at, secret, enabled, after_seq, revision, created_at, updated_at
    from webhooks cross join generate_series(1, ${count}) where id = ${webhooks[0]?.id ?? ""} returning id`;
  return rows.map(({ id }) => id);
}

const token = await planToken(devnet);
const payer = testAccount(
  ACCOUNT_INDEX.firstSubscriber + (demoPlans.find(({ key }) => key === "reader")?.subscribers[0] ?? 0),
);

/** Permits of the wallet, in tokens that do not exist, which a withdrawal does not ask. */
async function copyPermits(count: number): Promise<string[]> {
  const { sql } = database.database;
  const first = await keepDemoPermit(database.database, devnet, { token, owner: wallet.address });
  const rows = await sql<{ id: string }[]>`
    insert into permits (id, chain_id, contract, token, owner, hash, signature, is_of_key, value, nonce, allowance, deadline, state, created_at)
    select gen_random_uuid(), chain_id, contract, substring(sha256(place::text::bytea) for 20), owner, sha256(place::text::bytea), signature, is_of_key, value, nonce,
      allowance, deadline, state, created_at
    from permits cross join generate_series(1, ${count}) as place where id = ${first} returning id`;
  return rows.map(({ id }) => id);
}

const world = await gatherDemoWorld({
  devnet,
  today: dayNumber(NOW_SECONDS),
  async show(id) {
    return Value.Parse(Subscription, (await callApi(api, `/subscriptions/${id}`)).body.subscription);
  },
  transactions: await someTransactions(),
  keyIds: (await Promise.all(Array.from({ length: 4 }, () => createKey(`eip155:${wallet.address}`)))).map(
    ({ id }) => id,
  ),
  webhooks,
  webhooksToUse: await copyWebhooks(6 * CASES),
  permit: { from: payer.address, token, ...(await signPermit(devnet, token, payer)) },
  keptPermit: await keepDemoPermit(database.database, devnet, { token }),
  permitsToWithdraw: await copyPermits(6 * CASES),
});
const validInputOf = validInputs(world);

async function someTransactions(): Promise<Hex[]> {
  const logs = await client.getLogs({ address: contract, fromBlock: 0n, toBlock: "latest" });
  return [...new Set(logs.map(({ transactionHash }) => transactionHash))].slice(0, 40);
}

async function createKey(subjectId: string): Promise<{ id: string; key: string }> {
  const body = { subjectId };
  const made = await callApi(api, "/developer/keys", { method: "POST", headers: admin, body, from: someAddress() });
  return { id: String(made.body.id), key: String(made.body.key) };
}

type Outcome = { request: FuzzRequest; status: number; fault: string | null };

function casesOf(operation: DocumentedOperation): FuzzRequest[] {
  const inputs = validInputOf(operation);
  const sample = (arbitrary: fc.Arbitrary<FuzzRequest>, ofTen: number) =>
    fc.sample(arbitrary, { seed: testSeed, numRuns: (CASES * ofTen) / 10 });
  return [
    ...sample(
      inputs.map((input) => requestOf(operation, input, !SCARCE.includes(operation.id))),
      OF_TEN.valid,
    ),
    ...sample(crossed(operation, inputs), OF_TEN.crossed),
    ...sample(fitting(operation), OF_TEN.fitting),
    ...sample(spoiled(operation), OF_TEN.spoiled),
  ];
}

async function send(operation: DocumentedOperation, request: FuzzRequest): Promise<Outcome> {
  const response = await fetch(api.url + request.target, {
    method: operation.method,
    // Each from another client: limits by client are not under test here.
    headers: { "X-Forwarded-For": someAddress(), "Content-Type": "application/json", ...credentialsOf(operation) },
    ...(request.body === null ? {} : { body: request.body }),
  });
  const { status } = response;
  return { request, status, fault: faultOf(operation, request, status, await response.text()) };
}

function faultOf(operation: DocumentedOperation, request: FuzzRequest, status: number, text: string): string | null {
  if (status >= 500) return "a 5xx";
  if (request.valid && status >= 300) return "a valid request is refused";
  const schema = operation.answers.get(status);
  if (schema === undefined) return "a status that is not documented";
  if (schema === null) return text === "" ? null : "a body where none is documented";
  const summarized = isSummary(request) ? operationList.find(({ name }) => name === operation.id) : undefined;
  if (status === 200 && summarized?.summarized !== undefined) {
    // The document describes the whole answer, and with detail what a summary leaves out.
    const shape = summarizeSchema(summarized.output, summarized.summarized);
    const [broken] = compileSchema(shape).Errors(JSON.parse(text));
    return broken === undefined ? null : `a summary that breaks its schema at ${broken.path}: ${broken.message}`;
  }
  const check = ajv.getSchema(`openapi#${schema}`);
  if (check === undefined) throw new Error(`${schema} is not in the document`);
  return check(JSON.parse(text)) ? null : `an answer that breaks its schema: ${ajv.errorsText(check.errors)}`;
}

function isSummary({ target, body }: FuzzRequest): boolean {
  return target.includes("detail=summary") || body?.includes('"detail":"summary"') === true;
}

describe("every answer to every request is one that the OpenAPI document describes", () => {
  test.each(readDocument(document).map((operation) => [operation.id, operation] as const))(
    "%s",
    async (id, operation) => {
      const waiting = casesOf(operation);
      expect(waiting).toHaveLength(CASES);
      const outcomes: Outcome[] = [];
      const work = async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
          outcomes.push(await send(operation, next));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));

      const faults = outcomes.filter(({ fault }) => fault !== null);
      if (faults.length > 0) console.log(`fuzz: ${id} failed ${faults.length} of ${CASES} with FC_SEED=${testSeed}`);
      expect(faults.slice(0, 5)).toEqual([]);
      const succeeded = outcomes.filter(({ request, status }) => request.valid && status >= 200 && status < 300);
      if (!SCARCE.includes(id)) expect(succeeded.length).toBeGreaterThanOrEqual(CASES * 0.3);
    },
  );
});
