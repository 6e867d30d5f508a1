import { randomInt } from "node:crypto";
import type { TestApi } from "./startTestApi";

export type Call = {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** The client's address, as a trusted proxy at 127.0.0.1 forwards it. */
  from?: string;
};

export type Answer = { status: number; headers: Headers; body: Record<string, unknown>; text: string };

/** Settings that make a test the trusted proxy of any client. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: "127.0.0.0/8" };

/** One request, and all of its answer; the body is an empty object where it is not JSON. */
export async function callApi(api: Pick<TestApi, "url">, path: string, call: Call = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, from } = call;
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(from === undefined ? {} : { "X-Forwarded-For": from }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : {}, text };
}

/** 198.18.0.0/15: addresses for tests of networks. */
const TEST_ADDRESSES = 2 ** 17;
let lastAddress = randomInt(TEST_ADDRESSES);

/** An address that no other request of this process has; other processes begin elsewhere. */
export function someAddress(): string {
  lastAddress = (lastAddress + 1) % TEST_ADDRESSES;
  return `198.${18 + (lastAddress >> 16)}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

/** Figures of each bucket: `q` and `w` of a policy, `r` and `t` of what is left. */
export type RateLimitFigures = Record<string, Record<string, number>>;

/** The items of a RateLimit or RateLimit-Policy field by bucket, e.g. `{ global: { q: 20, w: 60 } }`. */
export function readRateLimit(headers: Headers, field: "RateLimit" | "RateLimit-Policy"): RateLimitFigures {
  const items = (headers.get(field) ?? "").split(", ").filter((item) => item !== "");
  return Object.fromEntries(
    items.map((item) => {
      const [name = "", ...parameters] = item.split(";");
      const figures = parameters.map((parameter) => parameter.split("=")).map(([key, value]) => [key, Number(value)]);
      return [JSON.parse(name), Object.fromEntries(figures)];
    }),
  );
}
