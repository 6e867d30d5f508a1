import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { keepDemoPermit } from "@dueday/api/test/keepDemoPermit";
import { openPortalBrowser, someWallet } from "@dueday/api/test/portalBrowser";
import { resolveReferences } from "@dueday/api/test/resolveReferences";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { confirmTestWebhook } from "@dueday/db/test/confirmTestWebhook";
import { planToken } from "@dueday/devnet/demoArguments";
import { zeroAddress, zeroHash } from "viem";

const ADMIN_SECRET = "an-admin-secret-of-this-test";

type Parameter = { name: string; in: "path" | "query" | "header"; example?: unknown };
type Described = {
  parameters: Parameter[];
  security: Record<string, unknown>[];
  requestBody?: { content: { "application/json": { example?: unknown } } };
  responses: Record<string, unknown>;
};
type OpenApi = { paths: Record<string, Record<string, Described>> };

const SECRETS_KEY = "ab".repeat(32);
const ORIGIN = "http://localhost:3000";
const { api, database, devnet, stop } = await startDemoApi({
  ADMIN_SECRET,
  SECRETS_KEY,
  PUBLIC_URL: ORIGIN,
  SMTP_URL: "smtp://127.0.0.1:1",
  MAIL_FROM: "reminders@dueday.example",
});
afterAll(stop);
// The document is JSON of this form: openapi.test.ts validates it.
const document = resolveReferences(JSON.parse((await callApi(api, "/openapi.json")).text)) as OpenApi;
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
);

/** Owner of all keys and webhooks here, signed in to the portal. */
const wallet = someWallet();
const browser = openPortalBrowser(api, ORIGIN);
await browser.signIn(wallet);
const owner = await createKey();

const admin = { Authorization: `Bearer ${ADMIN_SECRET}` };
const developer = { Authorization: `Bearer ${owner.key}` };

async function createKey(): Promise<{ id: string; key: string }> {
  const { body } = await callApi(api, "/portal/keys", {
    method: "POST",
    headers: { Origin: ORIGIN, Cookie: String(browser.cookie) },
    body: {},
  });
  return { id: String(body.id), key: String(body.key) };
}

/** Creates a webhook with one delivery. */
async function createWebhook(): Promise<{ id: string; deliveryId: string }> {
  const body = { url: "https://93.184.216.34/hook" };
  const { id } = (await callApi(api, "/webhooks", { method: "POST", headers: developer, body })).body;
  await confirmTestWebhook(database.database, String(id), new Date());
  const delivery = await callApi(api, `/webhooks/${id}/test`, { method: "POST", headers: developer });
  return { id: String(id), deliveryId: String(delivery.body.id) };
}

/** What the path of an example names and no service has: an id is given out when its key or webhook is created. */
async function createNamed(path: string): Promise<Record<string, string>> {
  if (/^\/(developer|portal)\/keys\/\{id\}$/.test(path)) return { id: (await createKey()).id };
  if (path.startsWith("/permits/"))
    return {
      permitId: await keepDemoPermit(database.database, devnet, {
        token: await planToken(devnet),
        owner: wallet.address,
      }),
    };
  return path.startsWith("/webhooks/{id}") ? createWebhook() : {};
}

const mailSecrets = createMailSecrets(SECRETS_KEY);

/** The text in the link of a mail. */
async function requestConfirmation(): Promise<string> {
  const headers = { Origin: ORIGIN, Cookie: browser.cookie ?? "" };
  await callApi(api, "/portal/reminders", { method: "PUT", headers, body: { mailbox: "somebody@example.org" } });
  const [row] = await database.database.sql<
    { id: string }[]
  >`select id from mail_confirmations order by requested_at desc limit 1`;
  return mailSecrets.confirmToken(row?.id ?? "");
}

/** A body that no document can contain: a message is signed in with once, and a link of a mail is used once. */
async function createBody(method: string, path: string): Promise<unknown> {
  if (path === "/reminders/unsubscribe") return { token: mailSecrets.unsubscribeToken(zeroAddress, zeroHash) };
  if (path === "/reminders/confirm") return { token: await requestConfirmation() };
  if (`${method} ${path}` !== "POST /portal/session") return undefined;
  const message = await browser.challenge(wallet.address);
  return { message, signature: await wallet.signMessage({ message }) };
}

async function credentialsOf(
  method: string,
  path: string,
  security: Described["security"],
): Promise<Record<string, string>> {
  if (path.startsWith("/portal/")) {
    // What starts or ends a session has a separate browser, so that the others stay signed in.
    const isOwn = path === "/portal/session" && method !== "GET";
    const sender = isOwn ? openPortalBrowser(api, ORIGIN) : browser;
    if (isOwn && method === "DELETE") await sender.signIn(wallet);
    return { Origin: ORIGIN, Cookie: sender.cookie ?? "" };
  }
  const accepted = security.flatMap((scheme) => Object.keys(scheme));
  if (accepted.includes("adminSecret")) return admin;
  return security.some((scheme) => Object.keys(scheme).length === 0) ? {} : developer;
}

/** Sends the examples of an operation's parameters and body, as a generated client would. */
async function sendExample(method: string, path: string, operation: Described): Promise<Response> {
  const { parameters, security, requestBody } = operation;
  const named = await createNamed(path);
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue;
    if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(named[name] ?? String(example)));
    // A list is repeated: OpenAPI's default for a query.
    if (place === "query") for (const each of [example].flat()) query.append(name, String(each));
  }
  const body = (await createBody(method, path)) ?? requestBody?.content["application/json"].example;
  return fetch(`${api.url}${target}?${query}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(await credentialsOf(method, path, security)),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

describe("the example of each operation, sent to the demo, gives the status that the document has for it", () => {
  test.each(described)("%s %s", async (method, path, operation) => {
    const success = Object.keys(operation.responses).filter((status) => status.startsWith("2"));
    const response = await sendExample(method, path, operation);
    const { status } = response;
    expect([status, status < 300 ? "" : await response.text()]).toEqual([Number(success[0]), ""]);
  });
});
