import { erc20Abi } from "@dueday/core/abi/erc20";
import type { RemitSubscription, RemitToken } from "@dueday/core/remit/state";
import type { Address } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { contractRead } from "../../reads/contractRead";
import { expectValue, protocolRead } from "../../reads/protocolRead";
import { readTable } from "../../reads/readTable";
import type { BulkReads } from "./bulkReads";
import { readHoldings } from "./readHoldings";

/**
 * Each token of `subscriptions` with what the protocol, every subscriber, every provider and `receivers` hold of it, all at one block. Left
 * out are accounts whose holdings are known, and tokens with no others.
 */
export async function readTokenStates(
  client: ChainClient,
  {
    contract,
    block,
    subscriptions,
    receivers,
    isKnown = () => false,
    bulk = null,
  }: {
    contract: Address;
    block: ChainBlock;
    subscriptions: Iterable<RemitSubscription>;
    receivers: readonly Address[];
    isKnown?(token: Address, account: Address): boolean;
    /** For books that are too large for maps of objects. */
    bulk?: BulkReads | null;
  },
): Promise<Map<Address, RemitToken>> {
  const payers = new Map<Address, Set<Address>>();
  const add = (token: Address, account: Address) => {
    if (isKnown(token, account)) return;
    const accounts = payers.get(token);
    if (accounts === undefined) payers.set(token, new Set([account]));
    else accounts.add(account);
  };
  for (const { token, provider, subscribers } of subscriptions) {
    for (const receiver of receivers) add(token, receiver);
    add(token, provider);
    for (const { subscriber } of subscribers) add(token, subscriber);
  }
  const [rows, holdings] = await Promise.all([
    readTable(
      client,
      [...payers.keys()],
      (token) => [
        protocolRead(contract, "approvedERC20", [token]),
        contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [contract] }),
      ],
      block,
    ),
    Promise.all(
      [...payers].map(([token, accounts]) =>
        readHoldings(client, { contract, token, accounts: [...accounts], block, bulk }),
      ),
    ),
  ]);
  return new Map(
    rows.map(({ key: token, results: [approval, balance] }, index) => {
      const [, decimals, paused] = expectValue(approval, "approvedERC20");
      const protocolBalance = balance.ok ? balance.value : 0n;
      return [token, { decimals, paused, protocolBalance, holdings: holdings[index] ?? new Map(), blocked: new Map() }];
    }),
  );
}
