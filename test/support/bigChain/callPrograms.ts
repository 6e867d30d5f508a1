import { type Hex, keccak256 } from "viem";
import type { ViewResult } from "./readViews";
import { addressIn, padded, word, wordIn } from "./words";

/** A call of a contract's view, as a program makes it. */
export type CallView = (to: string, data: string) => ViewResult;

const [BALANCE_OF, ALLOWANCE] = ["0x70a08231", "0xdd62ed3e"];
const [ID_SUB_MAP, UNSUBSCRIBED_LENGTH, SUBSCRIBERS] = ["0x00b70977", "0x36e73d72", "0x7bbf5a6e"];

/** Multicall3's aggregate3, with the data of its calls in the order of their tuples. */
export function aggregate(data: string, call: CallView): Hex {
  const count = Number(`0x${wordIn(data, 1)}`);
  const results: string[] = [];
  const offsets: string[] = [];
  let offset = 32 * count;
  for (let index = 0; index < count; index++) {
    const tuple = 2 + Number(`0x${wordIn(data, 2 + index)}`) / 32;
    const length = Number(`0x${wordIn(data, tuple + 3)}`);
    const start = 10 + 64 * (tuple + 4);
    const returned = call(addressIn(data, tuple), `0x${data.slice(start, start + 2 * length)}`);
    const bytes = returned.startsWith("0x") ? returned.slice(2) : "";
    const result = word(returned.startsWith("0x") ? 1 : 0) + word(64) + word(bytes.length / 2) + filled(bytes);
    offsets.push(word(offset));
    results.push(result);
    offset += result.length / 2;
  }
  return `0x${word(32)}${word(count)}${offsets.join("")}${results.join("")}`;
}

/** `HOLDINGS_PROGRAM`: token, spender, then accounts. */
export function readHoldings(data: string, call: CallView): Hex {
  const [token, spender] = [addressIn(data, 0, 2), addressIn(data, 1, 2)];
  const words: string[] = [];
  for (let index = 2; 2 + 64 * index < data.length; index++) {
    words.push(holdingWords(call, { token, spender, account: addressIn(data, index, 2) }));
  }
  return `0x${words.join("")}`;
}

/** `HOLDINGS_HASH_PROGRAM`, likewise. */
export function hashHoldings(data: string, call: CallView): Hex {
  const words = Uint8Array.fromHex(readHoldings(data, call).slice(2));
  return `0x${new Bun.CryptoHasher("sha256").update(words).digest("hex")}`;
}

/** `FINGERPRINT_PROGRAM`: the spender, then pairs of a token and an account. */
export function fingerprintOf(data: string, call: CallView): Hex {
  const spender = addressIn(data, 0, 2);
  const words: string[] = [];
  for (let index = 1; 2 + 64 * index < data.length; index += 2) {
    const [token, account] = [addressIn(data, index, 2), addressIn(data, index + 1, 2)];
    words.push(holdingWords(call, { token, spender, account }));
  }
  return keccak256(`0x${words.join("")}`);
}

/** `SUBSCRIPTIONS_PROGRAM`: the contract, then ids. */
export function readSubscriptions(data: string, call: CallView): Hex {
  const contract = addressIn(data, 0, 2);
  const rows: string[] = [];
  for (let index = 1; 2 + 64 * index < data.length; index++) {
    const id = wordIn(data, index, 2);
    const [length, record, subscribers] = [UNSUBSCRIBED_LENGTH, ID_SUB_MAP, SUBSCRIBERS].map((selector) =>
      call(contract, selector + id).slice(2),
    );
    rows.push(`${length}${record?.slice(64)}${subscribers?.slice(0, 256).padEnd(256, "0")}`);
  }
  return `0x${rows.join("")}`;
}

type Held = { token: string; spender: string; account: string };

function holdingWords(call: CallView, { token, spender, account }: Held): string {
  const balance = call(token, BALANCE_OF + padded(account));
  const allowance = call(token, ALLOWANCE + padded(account) + padded(spender));
  return [balance, allowance].map((each) => (each.length === 66 ? each.slice(2) : word(0))).join("");
}

function filled(bytes: string): string {
  return bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
}
