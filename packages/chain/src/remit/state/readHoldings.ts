import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Holding } from "@dueday/core/remit/state";
import { type Address, type Hex, size, zeroAddress } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { mapCalls } from "../../client/mapCalls";
import { readOnce } from "../../client/readOnce";
import { contractRead } from "../../reads/contractRead";
import { valueOrNone } from "../../reads/protocolRead";
import { readTable } from "../../reads/readTable";
import { HOLDINGS_HASH_PROGRAM, HOLDINGS_PROGRAM } from "./holdingsProgram";
import { runProgram } from "./runProgram";

export type ReadHoldingsParameters = {
  /** The spender of the allowances. */
  contract: Address;
  token: Address;
  accounts: readonly Address[];
  block: ChainBlock;
};

/** What each account holds, in the order of the accounts, and the node's answer, which is null where the accounts were read one by one. */
export type HoldingRows = { rows: readonly (readonly [Address, Holding])[]; answer: Hex | null };

/** Accounts of one eth_call: a proxied token takes some 20,000 gas for each, of the 50 million that nodes allow. */
const PART = 1_000;
/** Calls under way at a time: an answer has 128 kB. */
export const PARTS_AT_ONCE = 32;
const PADDING = "0".repeat(24);
/** An unused address that has the program's code for the length of one call. */
const READER: Address = "0x00000000000000000000000000000000000d0e01";

/**
 * Balance and allowance of each account in token units: a thousand of them in one eth_call, by a program that the request
 * itself carries (a state override); one by one, batched, where the node takes no overrides. Where a token does not answer,
 * the account counts as holding nothing.
 */
export async function readHoldings(
  client: ChainClient,
  parameters: ReadHoldingsParameters,
): Promise<Map<Address, Holding>> {
  const parts = await mapCalls(
    cutAccounts(parameters.accounts),
    (accounts) => readHoldingRows(client, { ...parameters, accounts }),
    PARTS_AT_ONCE,
  );
  return new Map(parts.flatMap(({ rows }) => rows));
}

/** Accounts in parts of one eth_call each. */
export function cutAccounts(accounts: readonly Address[]): Address[][] {
  const parts: Address[][] = [];
  for (let start = 0; start < accounts.length; start += PART) parts.push(accounts.slice(start, start + PART));
  return parts;
}

/** See `readHoldings`, for the accounts of one part. */
export async function readHoldingRows(client: ChainClient, parameters: ReadHoldingsParameters): Promise<HoldingRows> {
  const { contract, token, accounts, block } = parameters;
  if (!(await takesOverrides(client, block))) return readOneByOne(client, parameters);
  const answer = await callReader(client, HOLDINGS_PROGRAM, [token, contract, ...accounts], block);
  if (answer === null || size(answer) !== accounts.length * 64) return readOneByOne(client, parameters);
  const word = (place: number) => BigInt(`0x${answer.slice(2 + 64 * place, 66 + 64 * place)}`);
  const rows = accounts.map((account, index) => {
    return [account, { balance: word(2 * index), allowance: word(2 * index + 1) }] as const;
  });
  return { rows, answer };
}

/**
 * The SHA-256 of what the accounts of one part hold: the hash of the `answer` of `readHoldingRows`. Null where the node or the chain does not
 * compute it.
 */
export async function readHoldingsHash(
  client: ChainClient,
  { contract, token, accounts, block }: ReadHoldingsParameters,
): Promise<Hex | null> {
  const answer = await callReader(client, HOLDINGS_HASH_PROGRAM, [token, contract, ...accounts], block);
  return answer !== null && size(answer) === 32 ? answer : null;
}

function takesOverrides(client: ChainClient, block: ChainBlock): Promise<boolean> {
  return readOnce(client, "state_override", async () => {
    // No token and one account: where the code runs at all, it answers two words of zero.
    const answer = await callReader(client, HOLDINGS_PROGRAM, [zeroAddress, zeroAddress, zeroAddress], block);
    return answer !== null && size(answer) === 64;
  });
}

/** Calls a program. The form of the addresses is not checked: with a million of them, that would take most of the time. */
function callReader(client: ChainClient, code: Hex, input: readonly Address[], block: ChainBlock) {
  const data = `0x${input.map((address) => PADDING + address.slice(2)).join("")}` as const;
  return runProgram(client, { at: READER, code, data, block });
}

async function readOneByOne(
  client: ChainClient,
  { contract, token, accounts, block }: ReadHoldingsParameters,
): Promise<HoldingRows> {
  const table = await readTable(
    client,
    accounts,
    (account) => [
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [account, contract] }),
    ],
    block,
  );
  const rows = table.map(({ key, results: [balance, allowance] }) => {
    const holding = { balance: valueOrNone(balance), allowance: valueOrNone(allowance) };
    return [key, holding] as const;
  });
  return { rows, answer: null };
}
