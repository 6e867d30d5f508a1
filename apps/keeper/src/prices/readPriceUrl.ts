import { boundedFetch } from "../boundedFetch";
import type { PriceSource } from "./priceSource";

type UrlSource = Extract<PriceSource, { kind: "url" }>;

const DEADLINE_MS = 10_000;
const LARGEST_BYTES = 65_536;
const WEI = /^(?:0|[1-9][0-9]{0,39})$/;

const read = boundedFetch(LARGEST_BYTES);

/** Wei for one whole token from the JSON of a URL, or why there is none. The reason contains nothing of the answer but its status. */
export async function readPriceUrl({ url, field, minWei, maxWei }: UrlSource): Promise<bigint | { problem: string }> {
  let value: unknown;
  try {
    const response = await read(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    if (!response.ok) return { problem: `the price's URL answered ${response.status}` };
    value = await response.json();
  } catch {
    // The reason would repeat the URL, which may contain a key.
    return {
      problem: `the price's URL can't be reached, redirects, is too slow, or does not return JSON of at most ${LARGEST_BYTES} bytes`,
    };
  }
  for (const name of field.split(".")) {
    // The cast claims only that it is an object with unknown fields; a list is one too, with numbers as names.
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined;
  }
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !WEI.test(text)) {
    return {
      problem: `the field ${field} of the price's URL is not a whole number of wei (as text, if it is 2^53 or more)`,
    };
  }
  const wei = BigInt(text);
  if (wei < minWei || wei > maxWei) return { problem: "the price of the URL is outside of min_wei and max_wei" };
  return wei;
}
