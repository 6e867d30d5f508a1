import type { LimitName } from "./chargesOf";
import type { BucketState, Charge, Taking } from "./limiter";
import { REPLY_NUMBERS } from "./takeScript";

/** What one request brings to the script, worked out once for those that are made again and again. */
export type ScriptCall = {
  charges: readonly Charge[];
  /** A line for each key. */
  keys: string;
  /** What is asked of them, as the script reads it. */
  asked: string;
};

/** A limit of a day and the one of a minute that mostly comes with it are held under one key. */
const heldUnder: Partial<Record<string, LimitName>> = {
  dailyTotalRequests: "globalRpm",
  subgraphDaily: "expensiveRpm",
  writeDaily: "writeRpm",
} satisfies Partial<Record<LimitName, LimitName>>;

/** @param identities whose bucket each charge is about, at its place */
export function createCall(prefix: string, charges: readonly Charge[], identities: readonly string[]): ScriptCall {
  const owners = charges.map(({ name }, index) => `${prefix}taken:${identities[index]}:${heldUnder[name] ?? name}`);
  const keys = [...new Set(owners)];
  const asked = charges.map(({ limit, window, cost, enforced }, index) => {
    const place = keys.indexOf(owners[index] ?? "") + 1;
    return ` ${place} ${limit} ${cost * 4 + (window === "minute" ? 2 : 0) + (enforced ? 1 : 0)}`;
  });
  const text = `${keys.length} ${charges.length}${asked.join("")}`;
  return { charges, keys: keys.join("\n"), asked: sameText(charges, text) };
}

const texts = new WeakMap<readonly Charge[], string>();

/** The text that was made of these charges before, where it is the same: the very same one is compared without being read. */
function sameText(charges: readonly Charge[], text: string): string {
  const known = texts.get(charges);
  if (known === text) return known;
  texts.set(charges, text);
  return text;
}

/** The script's arguments after the time. Clients of one lane ask for the same: that is said once for a run of them. */
export function writeCalls(calls: readonly ScriptCall[]): [keys: string, runs: string] {
  const runs: string[] = [];
  for (let from = 0; from < calls.length; ) {
    const asked = calls[from]?.asked;
    let to = from + 1;
    while (calls[to]?.asked === asked) to += 1;
    runs.push(`${to - from} ${asked}`);
    from = to;
  }
  return [calls.map(({ keys }) => keys).join("\n"), runs.join(" ")];
}

/** What the script's reply says to each call. @throws Error where it is not an answer to these */
export function readReply(calls: readonly ScriptCall[], reply: unknown): Taking[] {
  const demands = calls.reduce((sum, { charges }) => sum + charges.length, 0);
  if (!isListOfNumbers(reply) || reply.length !== demands * REPLY_NUMBERS) {
    throw new Error("the limiter's script answered something else than was asked");
  }
  let at = 0;
  return calls.map(({ charges }) => {
    const states: BucketState[] = [];
    let admitted = true;
    for (const charge of charges) {
      const reset = reply[at + 1] ?? 0;
      const fits = reset >= 0;
      states.push({ charge, remaining: reply[at] ?? 0, fits, resetMs: Math.abs(reset) });
      if (!fits) admitted = false;
      at += REPLY_NUMBERS;
    }
    return { admitted, charges, states };
  });
}

function isListOfNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}
