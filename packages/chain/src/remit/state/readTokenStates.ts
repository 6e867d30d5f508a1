import { erc20Abi } from "@dueday/core/abi/erc20";
import type { RemitSubscription, RemitToken } from "@dueday/core/remit/state";
import type { Address } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { contractRead } from "../../reads/contractRead";
import { expectValue, protocolRead, valueOrNone } from "../../reads/protocolRead";
import { readTable } from "../../reads/readTable";
import { accountsByToken } from "./accountsByToken";
import { readHoldings } from "./readHoldings";

type Source = { contract: Address; block: ChainBlock };

/** Each token of `subscriptions` with what the protocol, every subscriber, every provider and `receivers` hold of it, all at one block. */
export async function readTokenStates(
  client: ChainClient,
  {
    subscriptions,
    receivers,
    ...source
  }: Source & { subscriptions: Iterable<RemitSubscription>; receivers: readonly Address[] },
): Promise<Map<Address, RemitToken>> {
  const accounts = await accountsByToken(subscriptions, receivers);
  const [figures, holdings] = await Promise.all([
    readTokenFigures(client, { ...source, tokens: [...accounts.keys()] }),
    Promise.all([...accounts].map(([token, own]) => readHoldings(client, { ...source, token, accounts: [...own] }))),
  ]);
  return new Map(
    [...figures].map(([token, each], index) => [token, { ...each, holdings: holdings[index] ?? new Map() }]),
  );
}

/** What is read of each token beside the holdings of accounts. */
export async function readTokenFigures(
  client: ChainClient,
  { contract, tokens, block }: Source & { tokens: readonly Address[] },
): Promise<Map<Address, Omit<RemitToken, "holdings">>> {
  const rows = await readTable(
    client,
    tokens,
    (token) => [
      protocolRead(contract, "approvedERC20", [token]),
      contractRead({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [contract] }),
    ],
    block,
  );
  return new Map(
    rows.map(({ key: token, results: [approval, balance] }) => {
      const [, decimals, paused] = expectValue(approval, "approvedERC20");
      return [token, { decimals, paused, protocolBalance: valueOrNone(balance), blocked: new Map() }];
    }),
  );
}
