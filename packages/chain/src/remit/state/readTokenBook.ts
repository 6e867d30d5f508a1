import { HoldingTable } from "@dueday/core/remit/holdingTable";
import { dueKey, type Holding, type RemitSubscription, type RemitToken } from "@dueday/core/remit/state";
import type { Address } from "viem";
import type { ChainClient } from "../../client/createChainClient";
import { accountsByToken } from "./accountsByToken";
import { type MovedAccounts, movedAccounts } from "./movedAccounts";
import { type HoldingPart, movedParts, readHoldingParts } from "./readHoldingParts";
import { readTokenFigures } from "./readTokenStates";
import type { TokenBook, TokenBooks } from "./tokenBook";
import { withHoldings } from "./withHoldings";

export type ReadTokenBookParameters = Pick<TokenBook, "block" | "dueLists" | "subscriptions" | "receivers"> & {
  contract: Address;
  daysAhead: number;
  books: TokenBooks;
};

/**
 * The tokens of a state. Where there is a book of the same due lists, what its accounts held is compared with what they hold now, in parts of
 * a thousand accounts, and a part that differs is read again. Otherwise all accounts are read, except those that another book of this block has.
 */
export async function readTokenBook(client: ChainClient, parameters: ReadTokenBookParameters): Promise<TokenBook> {
  const { daysAhead, books, contract, ...state } = parameters;
  const { block, subscriptions } = state;
  const beside = [...books.values()].find((book) => book.block.hash === block.hash) ?? null;
  const known = books.get(daysAhead);
  const before = known !== undefined && isRenewable(known, state) ? known : null;
  const moved = await (before === null ? furtherAccounts(beside, state) : movedAccounts(before, subscriptions));
  const proven = new Set([...(beside?.parts.values() ?? [])].flat());
  const read = await readMoved(client, { contract, block, base: before ?? beside, moved, proven });
  // Tokens without further accounts are taken from the other book of this block.
  const rest = before === null ? beside : null;
  return {
    ...state,
    tokens: new Map([...(rest?.tokens ?? []), ...read.map(({ address, token }) => [address, token] as const)]),
    parts: new Map([...(rest?.parts ?? []), ...read.map(({ address, parts }) => [address, parts] as const)]),
    changed: new Set(),
  };
}

/** Whether the book has all accounts of the state, except those of ids that have changed. */
function isRenewable(book: TokenBook, { dueLists, receivers }: Pick<TokenBook, "dueLists" | "receivers">): boolean {
  return (
    String([...book.dueLists.keys()]) === String([...dueLists.keys()]) && String(book.receivers) === String(receivers)
  );
}

/** The accounts of those due lists that the book `beside` does not have. */
async function furtherAccounts(
  beside: TokenBook | null,
  { subscriptions, receivers }: Pick<TokenBook, "subscriptions" | "receivers">,
): Promise<MovedAccounts> {
  const isFurther = ({ frequency, dueDay }: RemitSubscription) => !beside?.dueLists.has(dueKey(frequency, dueDay));
  const isKnown = (token: Address, account: Address) => beside?.tokens.get(token)?.holdings.has(account) ?? false;
  const joined = await accountsByToken(subscriptions.values().filter(isFurther), receivers, isKnown);
  return { joined, left: new Map(), tokens: new Set(joined.keys()) };
}

type ReadMovedParameters = Pick<ReadTokenBookParameters, "contract" | "block"> & {
  base: TokenBook | null;
  moved: MovedAccounts;
  /** Parts that were read at this block. */
  proven: ReadonlySet<HoldingPart>;
};

async function readMoved(
  client: ChainClient,
  { contract, block, base, moved, proven }: ReadMovedParameters,
): Promise<{ address: Address; token: RemitToken; parts: readonly HoldingPart[] }[]> {
  const addresses = [...moved.tokens];
  const isProven = (part: HoldingPart) => proven.has(part);
  const [figures, held] = await Promise.all([
    readTokenFigures(client, { contract, tokens: addresses, block }),
    Promise.all(
      addresses.map(async (token) => {
        const [joined, left] = [moved.joined.get(token), moved.left.get(token)];
        const parts = movedParts(base?.parts.get(token) ?? [], isProven, { joined, left });
        const before: ReadonlyMap<Address, Holding> = base?.tokens.get(token)?.holdings ?? new Map();
        const changes = new HoldingTable();
        const unproven = parts.filter((part) => !isProven(part));
        const read = await readHoldingParts(client, { contract, token, block }, unproven, (account, holding) => {
          if (!isSame(before.get(account), holding)) changes.set(account, holding);
        });
        const holdings = withHoldings(before, changes, left ?? new Set());
        return { holdings, parts: [...parts.filter(isProven), ...read] };
      }),
    ),
  ]);
  return [...figures].flatMap(([address, each], index) => {
    const own = held[index];
    return own === undefined ? [] : [{ address, token: { ...each, holdings: own.holdings }, parts: own.parts }];
  });
}

function isSame(before: Holding | undefined, { balance, allowance }: Holding): boolean {
  return before?.balance === balance && before.allowance === allowance;
}
