import { protocolAbi } from "@dueday/core/abi/protocol";
import { type Hex, parseAbi, toFunctionSelector } from "viem";
import type { ChainSettings } from "./chainSettings";
import type { Book, BookEntry } from "./createBook";
import { addressIn, padded, textWords, word, wordIn } from "./words";

/** What a call of a view returns; `revert`: it has no reason. */
export type ViewResult = Hex | "revert" | "out of gas";

type Source = { book: Book; settings: ChainSettings; block: number };
type View = (source: Source, data: string) => ViewResult;

const views = new Map<string, View>();
for (const item of protocolAbi) {
  if (item.type !== "function" || item.stateMutability !== "view") continue;
  const view = protocolViews()[item.name];
  if (view !== undefined) views.set(toFunctionSelector(item), view);
}
const [defaultAdmin] = parseAbi(["function defaultAdmin() view returns (address)"]);
views.set(toFunctionSelector(defaultAdmin), ({ settings }) => `0x${padded(settings.admin)}`);

/** A view of the contract after `block` (protocol part 2); `data` is in lower case. Null for another function. */
export function readView(source: Source, data: string): ViewResult | null {
  return views.get(data.slice(0, 10))?.(source, data) ?? null;
}

function protocolViews(): Partial<Record<string, View>> {
  return {
    nextUncheckedDay: ({ settings }) => `0x${word(settings.nextUncheckedDay)}`,
    callerFee: ({ settings }) => `0x${word(settings.callerFee)}`,
    systemFee: ({ settings }) => `0x${word(settings.systemFee)}`,
    maxRemits: ({ settings }) => `0x${word(settings.maxRemits)}`,
    cancelLimit: ({ settings }) => `0x${word(settings.cancelLimit)}`,
    getTotalSubscribers: ({ book, block }) => `0x${word(book.size(block))}`,
    idSubMap: (source, data) => {
      const entry = entryOf(source, data, 0);
      return `0x${entry === null ? word(0).repeat(7) : recordWords(entry, source.settings)}`;
    },
    approvedERC20({ settings: { token } }, data) {
      const isKnown = padded(token.address) === wordIn(data, 0);
      if (!isKnown) return `0x${word(0).repeat(4)}`;
      return `0x${padded(token.address)}${word(token.decimals)}${word(0)}${word(token.minimum)}`;
    },
    feeBalance: (source, data) => {
      const entry = entryOf(source, data, 0);
      const isOwn = entry !== null && padded(entry.subscriber) === wordIn(data, 1);
      return `0x${word(isOwn ? entry.feeBalance : 0)}`;
    },
    getIdByTime({ book, block, settings }, data) {
      const [frequency, dueDay] = [BigInt(`0x${wordIn(data, 0)}`), Number(`0x${wordIn(data, 1)}`)];
      if (frequency > 3n) return "revert";
      const { length, at } = book.dueList(Number(frequency), dueDay, block);
      if (length > settings.longestList) return "out of gas";
      const ids = Array.from({ length }, (_, position) => book.idAt(at(position)).slice(2));
      return `0x${word(32)}${word(length)}${ids.join("")}`;
    },
    getSubscribersById: (source, data) => {
      const entry = entryOf(source, data, 0);
      if (entry === null || !entry.subscribed) return `0x${word(32)}${word(0)}`;
      return `0x${word(32)}${word(1)}${padded(entry.subscriber)}${word(entry.feeBalance)}`;
    },
    getUnsubscribedLength: () => `0x${word(0)}`,
    getAccountSubscriptions: (source, data) => {
      const rows = rowsOf(source, BigInt(`0x${wordIn(data, 0)}`) === 1n, addressIn(data, 1)).map(
        ({ entry, status }) => recordWords(entry, source.settings) + word(status) + word(entry.subscribed ? 1 : 0),
      );
      return `0x${word(32)}${word(rows.length)}${rows.join("")}`;
    },
    getAccount: (source, data) => {
      const account = addressIn(data, 0);
      const [subscribed = "", created = ""] = [true, false].map((bySubscriber) => {
        const rows = rowsOf(source, bySubscriber, account);
        const words = rows.map(
          ({ entry: { id, dueDay, frequency }, status }) => padded(id) + word(dueDay) + word(frequency) + word(status),
        );
        return word(rows.length) + words.join("");
      });
      return `0x${word(32)}${padded(account)}${word(96)}${word(96 + subscribed.length / 2)}${subscribed}${created}`;
    },
  };
}

/** A view of the token after `block`. Null for another function. */
export function readToken({ book, settings, block }: Source, data: string): ViewResult | null {
  const { token, contract } = settings;
  const entryOfAccount = (account: string) => {
    const place = book.placeOfSubscriber(account, block);
    const entry = place === undefined ? null : book.at(place, block);
    return entry?.subscriber === account ? entry : null;
  };
  switch (data.slice(0, 10)) {
    case "0x06fdde03":
      return `0x${word(32)}${textWords(token.name)}`;
    case "0x95d89b41":
      return `0x${word(32)}${textWords(token.symbol)}`;
    case "0x313ce567":
      return `0x${word(token.decimals)}`;
    case "0x70a08231": {
      const account = addressIn(data, 0);
      return `0x${word(entryOfAccount(account)?.balance ?? token.balances.get(account) ?? 0)}`;
    }
    case "0xdd62ed3e": {
      const isForContract = addressIn(data, 1) === contract.toLowerCase();
      return `0x${word((isForContract && entryOfAccount(addressIn(data, 0))?.allowance) || 0)}`;
    }
    default:
      return null;
  }
}

function entryOf({ book, block }: Source, data: string, argument: number): BookEntry | null {
  const place = book.placeOf(`0x${wordIn(data, argument)}`, block);
  return place === undefined ? null : book.at(place, block);
}

function recordWords(entry: BookEntry, { token }: ChainSettings): string {
  const { id, amount, provider, cancelled, frequency, dueDay } = entry;
  const values = word(cancelled ? 1 : 0) + word(frequency) + word(dueDay);
  return padded(id) + word(amount) + padded(provider) + padded(token.address) + values;
}

/** Rows of an account: a subscriber's has its own status, a provider's that of the id. */
function rowsOf({ book, block }: Source, bySubscriber: boolean, account: string) {
  if (bySubscriber) {
    const place = book.placeOfSubscriber(account, block);
    const entry = place === undefined ? null : book.at(place, block);
    return entry?.subscriber === account ? [{ entry, status: entry.subscribed ? 0 : 2 }] : [];
  }
  const rows: { entry: BookEntry; status: number }[] = [];
  for (let place = 0; place < book.size(block); place++) {
    const entry = book.at(place, block);
    if (entry.provider.toLowerCase() === account) rows.push({ entry, status: entry.cancelled ? 1 : 0 });
  }
  return rows;
}
