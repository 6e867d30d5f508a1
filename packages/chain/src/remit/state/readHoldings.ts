import { erc20Abi } from "@dueday/core/abi/erc20";
import type { Holding } from "@dueday/core/remit/state";
import { type Address, type Hex, isHex, pad, size } from "viem";
import { blockReference } from "../../block/blockReference";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { mapCalls } from "../../client/mapCalls";
import { readOnce } from "../../client/readOnce";
import { RpcRefusal } from "../../client/rpcOutcome";
import { contractRead } from "../../reads/contractRead";
import { readTable } from "../../reads/readTable";
import type { BulkReads, Holdings } from "./bulkReads";
import { HOLDINGS_PROGRAM } from "./holdingsProgram";

export type ReadHoldingsParameters = {
  /** The spender of the allowances. */
  contract: Address;
  token: Address;
  accounts: readonly Address[];
  block: ChainBlock;
  /** Null: the result is a map of objects. */
  bulk: BulkReads | null;
};

/** Accounts of one eth_call: a proxied token takes some 20,000 gas for each, of the 50 million that nodes allow. */
const CHUNK = 1_000;
/** Calls under way at a time: an answer has 128 kB. */
const AT_ONCE = 32;
/** An unused address that has the program's code for the length of one call. */
const READER: Address = "0x00000000000000000000000000000000000d0e01";

/**
 * Balance and allowance of each account in token units: a thousand of them in one eth_call, by a program that the request
 * itself carries (a state override); one by one, batched, where the node takes no overrides. A token that does not answer
 * counts as holding nothing.
 */
export async function readHoldings(client: ChainClient, parameters: ReadHoldingsParameters): Promise<Holdings> {
  const { accounts, block, bulk } = parameters;
  const holdings = bulk?.newHoldings() ?? new Map<Address, Holding>();
  const add = (rows: readonly [Address, Holding][]) => {
    for (const [account, holding] of rows) holdings.set(account, holding);
  };
  if (!(await takesOverrides(client, block))) {
    add(await readOneByOne(client, parameters));
    return holdings;
  }
  const chunks: Address[][] = [];
  for (let start = 0; start < accounts.length; start += CHUNK) chunks.push(accounts.slice(start, start + CHUNK));
  await mapCalls(chunks, async (chunk) => add(await readChunk(client, { ...parameters, accounts: chunk })), AT_ONCE);
  return holdings;
}

async function readChunk(client: ChainClient, parameters: ReadHoldingsParameters) {
  const { contract, token, accounts, block } = parameters;
  const data = `0x${[token, contract, ...accounts].map((account) => pad(account).slice(2)).join("")}` as const;
  const answer = await callReader(client, data, block);
  if (answer === null || size(answer) !== accounts.length * 64) return readOneByOne(client, parameters);
  return accounts.map((account, index): [Address, Holding] => {
    const word = (place: number) => BigInt(`0x${answer.slice(2 + 64 * place, 66 + 64 * place)}`);
    return [account, { balance: word(2 * index), allowance: word(2 * index + 1) }];
  });
}

function takesOverrides(client: ChainClient, block: ChainBlock): Promise<boolean> {
  return readOnce(client, "state_override", async () => {
    // No token and one account: where the code runs at all, it answers two words of zero.
    const nobody = pad("0x").slice(2);
    const answer = await callReader(client, `0x${nobody}${nobody}${nobody}`, block);
    return answer !== null && size(answer) === 64;
  });
}

async function callReader(client: ChainClient, data: Hex, block: ChainBlock): Promise<Hex | null> {
  try {
    const overrides = { [READER]: { code: HOLDINGS_PROGRAM } };
    const answer = await client.rpc("eth_call", [{ to: READER, data }, blockReference(block), overrides]);
    return isHex(answer) ? answer : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}

async function readOneByOne(client: ChainClient, { contract, token, accounts, block }: ReadHoldingsParameters) {
  const rows = await readTable(
    client,
    accounts,
    (account) => [
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [account, contract] }),
    ],
    block,
  );
  return rows.map(({ key, results: [balance, allowance] }): [Address, Holding] => [
    key,
    { balance: balance.ok ? balance.value : 0n, allowance: allowance.ok ? allowance.value : 0n },
  ]);
}
