import type { Database } from "@dueday/db/connectDatabase";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { confirmTestWebhook } from "@dueday/db/test/confirmTestWebhook";
import { planToken } from "@dueday/devnet/demoArguments";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type Address, zeroAddress, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Answer, callApi } from "./callApi";
import { keepDemoPermit } from "./keepDemoPermit";
import { openPortalBrowser } from "./portalBrowser";
import { resolveReferences } from "./resolveReferences";
import type { TestApi } from "./startTestApi";

/** Settings that the examples of all operations need. */
export const EXAMPLE_SETTINGS = {
  ADMIN_SECRET: "an-admin-secret-of-this-test",
  SECRETS_KEY: "ab".repeat(32),
  PUBLIC_URL: "http://localhost:3000",
  SMTP_URL: "smtp://127.0.0.1:1",
  MAIL_FROM: "reminders@dueday.example",
};
const { ADMIN_SECRET, SECRETS_KEY, PUBLIC_URL: ORIGIN } = EXAMPLE_SETTINGS;

type Parameter = { name: string; in: "path" | "query" | "header"; schema: object; example?: unknown };
type Media = { schema: object; example?: unknown; examples?: { demo: { value: unknown } } };

/** An operation of the document, as far as a request follows from it. */
export type DocumentedExample = {
  /** Such as `GET /status`. */
  name: string;
  operationId: string;
  parameters: Parameter[];
  security: Record<string, unknown>[];
  requestBody?: { content: { "application/json": Media } };
  responses: Record<string, { content?: Partial<Record<string, Media>> }>;
};

export type ExampleStack = {
  api: Pick<TestApi, "url">;
  database: Database;
  devnet: Devnet;
  /** Where webhooks are sent, in place of the examples' own URL. Default: that URL, and nothing is sent. */
  webhookUrl?: string;
};

/** Every operation of the document that the API serves. */
export async function readExamples(api: Pick<TestApi, "url">): Promise<DocumentedExample[]> {
  // The document is JSON of this form: openapi.test.ts validates it.
  const { paths } = resolveReferences(JSON.parse((await callApi(api, "/openapi.json")).text)) as {
    paths: Record<string, Record<string, DocumentedExample>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}` })),
  );
}

/**
 * Sends the examples of an operation's parameters and body, as a generated client would, with the credentials that the operation asks for.
 * What no document can contain is made before: the id of a key, webhook or permit that is there, the text of a mail's link, a signature.
 */
export async function createExampleSender({ api, database, devnet, webhookUrl }: ExampleStack) {
  /** Owner of all keys and webhooks here, signed in to the portal. */
  const wallet = privateKeyToAccount(testAccount(ACCOUNT_INDEX.firstProvider).privateKey);
  const browser = openPortalBrowser(api, ORIGIN);
  await browser.signIn(wallet);
  const mailSecrets = createMailSecrets(SECRETS_KEY);
  let keysCreated = 0;
  const developer = { Authorization: `Bearer ${(await createKey()).key}` };

  async function createKey(): Promise<{ id: string; key: string }> {
    const { body } = await browser.send("/portal/keys", { method: "POST", body: { label: "keeper in Frankfurt" } });
    // The clock of the demo API stands still, and keys of the same time have no order.
    keysCreated++;
    await database.sql`
      update developer_keys set created_at = created_at - make_interval(secs => ${keysCreated}) where id = ${String(body.id)}`;
    return { id: String(body.id), key: String(body.key) };
  }

  /** Creates a webhook with one delivery. */
  async function createWebhook(): Promise<{ id: string; deliveryId: string }> {
    const body = { url: webhookUrl ?? "https://93.184.216.34/hook" };
    const { id } = (await callApi(api, "/webhooks", { method: "POST", headers: developer, body })).body;
    await confirmTestWebhook(database, String(id), new Date());
    const delivery = await callApi(api, `/webhooks/${id}/test`, { method: "POST", headers: developer });
    return { id: String(id), deliveryId: String(delivery.body.id) };
  }

  /** What the path of an example names and no service has: an id is given out when its key or webhook is created. */
  async function createNamed(path: string): Promise<Record<string, string>> {
    if (/^\/(developer|portal)\/keys\/\{id\}$/.test(path)) return { id: (await createKey()).id };
    if (path.startsWith("/permits/")) return { permitId: await keepPermit({ owner: wallet.address }) };
    return path.startsWith("/webhooks/{id}") ? createWebhook() : {};
  }

  /** @param owner who may withdraw it. Default: the account that has signed it */
  async function keepPermit(owner: { owner?: Address } = {}): Promise<string> {
    return keepDemoPermit(database, devnet, { token: await planToken(devnet), ...owner });
  }

  /** The text in the link of a mail. */
  async function requestConfirmation(): Promise<string> {
    await browser.send("/portal/reminders", { method: "PUT", body: { mailbox: "somebody@example.org" } });
    const [row] = await database.sql<{ id: string }[]>`
      select id from mail_confirmations order by requested_at desc limit 1`;
    return mailSecrets.confirmToken(row?.id ?? "");
  }

  /** The example's body. A signed message, the token of a mail's link and the id of a permit are made here; `webhookUrl` replaces the example's URL. */
  async function bodyOf({ name, requestBody }: DocumentedExample): Promise<unknown> {
    if (name === "POST /reminders/unsubscribe") return { token: mailSecrets.unsubscribeToken(zeroAddress, zeroHash) };
    if (name === "POST /reminders/confirm") return { token: await requestConfirmation() };
    if (name === "POST /portal/session") {
      const message = await browser.challenge(wallet.address);
      return { message, signature: await wallet.signMessage({ message }) };
    }
    const example = requestBody?.content["application/json"].example;
    if ("permitId" in Object(example)) return { ...Object(example), permitId: await keepPermit() };
    const isCalled = webhookUrl !== undefined && / \/webhooks(\/\{id\})?$/.test(name) && "url" in Object(example);
    return isCalled ? { ...Object(example), url: webhookUrl } : example;
  }

  async function credentialsOf({ name, security }: DocumentedExample): Promise<Record<string, string>> {
    const [method = "", path = ""] = name.split(" ");
    if (path.startsWith("/portal/")) {
      // What starts or ends a session has a separate browser, so that the others stay signed in.
      const isOwn = path === "/portal/session" && method !== "GET";
      const sender = isOwn ? openPortalBrowser(api, ORIGIN) : browser;
      if (isOwn && method === "DELETE") await sender.signIn(wallet);
      return { Origin: ORIGIN, Cookie: sender.cookie ?? "" };
    }
    const accepted = security.flatMap((scheme) => Object.keys(scheme));
    if (accepted.includes("adminSecret")) return { Authorization: `Bearer ${ADMIN_SECRET}` };
    return security.some((scheme) => Object.keys(scheme).length === 0) ? {} : developer;
  }

  /** @param queried values of the query that win over the examples */
  return async (example: DocumentedExample, queried: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const [method = "", path = ""] = example.name.split(" ");
    const named = await createNamed(path);
    const query = new URLSearchParams();
    let target = path;
    for (const { name, in: place, example: value } of example.parameters) {
      const given = place === "query" ? (queried[name] ?? value) : value;
      if (given === undefined) continue;
      if (place === "path") target = target.replace(`{${name}}`, encodeURIComponent(named[name] ?? String(given)));
      // A list is repeated: OpenAPI's default for a query.
      if (place === "query") for (const each of [given].flat()) query.append(name, String(each));
    }
    const body = await bodyOf(example);
    const headers = await credentialsOf(example);
    return callApi(api, `${target}?${query}`, { method, headers, ...(body === undefined ? {} : { body }) });
  };
}
