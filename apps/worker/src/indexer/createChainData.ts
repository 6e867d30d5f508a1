import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient, Rpc } from "@dueday/chain/client/createChainClient";
import { readSubscriptions } from "@dueday/chain/reads/readSubscriptions";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { cleanText } from "@dueday/core/text/cleanText";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { IndexedToken, SubscriptionTerms } from "@dueday/db/eventIndex/indexedLog";
import { type Address, getAddress, type Hex } from "viem";

/** What the indexer reads from a node. Every function throws ServiceError, or RpcRefusal where the node refuses the request itself. */
export type ChainData = {
  rpc: Rpc;
  /** Reads the logs, headers and receipts of old blocks. Default: `rpc`. */
  archiveRpc?: Rpc;
  /** Accepts much longer answers, for the logs of one dense block. Default: none. */
  denseRpc?: Rpc;
  /** The contract's record of each id after `block`; an id without a record is absent. */
  readTerms(ids: readonly Hex[], block: ChainBlock): Promise<Map<Hex, Pick<SubscriptionTerms, "frequency" | "dueDay">>>;
  readTokens(tokens: readonly Hex[], block: ChainBlock): Promise<IndexedToken[]>;
};

/** Reads through a chain client. */
export function createChainData(
  client: ChainClient,
  contract: Address,
  more: Pick<ChainData, "archiveRpc" | "denseRpc"> = {},
): ChainData {
  return {
    rpc: client.rpc,
    ...more,
    readTerms: (ids, block) => readSubscriptions(client, { contract, ids, block }),
    async readTokens(tokens, block) {
      const addresses = tokens.map((token) => getAddress(token));
      const infos = await readTokenInfos(client, { contract, tokens: addresses, block });
      return [...infos.values()].map(({ address, symbol, decimals }) => ({
        token: toLowerCase(address),
        symbol: cleanText(symbol).text,
        decimals,
      }));
    },
  };
}
