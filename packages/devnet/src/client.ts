import {
  type Address,
  createTestClient,
  type Hex,
  http,
  publicActions,
  type RpcTransactionReceipt,
  rpcSchema,
  type Transport,
} from "viem";
import { devnetChain } from "./devnetChain";

export type DevnetClient = ReturnType<typeof createDevnetClient>;

type RpcCall = { from: Address; to?: Address; data: Hex; gas?: Hex };

/** RPC methods that viem's test client has no types for. */
type DevnetRpcSchema = [
  { Method: "eth_accounts"; Parameters?: undefined; ReturnType: Address[] },
  { Method: "eth_call"; Parameters: [call: RpcCall, block: "latest"]; ReturnType: Hex },
  { Method: "eth_sendTransaction"; Parameters: [RpcCall]; ReturnType: Hex },
  { Method: "eth_getTransactionReceipt"; Parameters: [hash: Hex]; ReturnType: RpcTransactionReceipt | null },
  { Method: "anvil_autoImpersonateAccount"; Parameters: [boolean]; ReturnType: null },
  { Method: "anvil_dropAllTransactions"; Parameters?: undefined; ReturnType: null },
];

/** A viem client with reads and anvil's own methods. Without retries and caches, because a test must see the first answer. */
export function createDevnetClient(url: string) {
  const client = createClientOver(http(url, { retryCount: 0, timeout: 120_000 }));
  return client.extend(() => ({
    /**
     * Returns to a snapshot, with an empty pool. A mined transaction is still in the pool for a moment: the sender's next
     * transaction would get the nonce after it, which is too high for the restored state, and would never be mined.
     */
    async revert({ id }: { id: Hex }): Promise<void> {
      await client.request({ method: "anvil_dropAllTransactions" });
      await client.revert({ id });
    },
  }));
}

/** The same over any transport, for example one that translates anvil's methods for another node, but with the `revert` of viem. */
export function createClientOver(transport: Transport) {
  return createTestClient({
    mode: "anvil",
    chain: devnetChain,
    cacheTime: 0,
    pollingInterval: 10,
    rpcSchema: rpcSchema<DevnetRpcSchema>(),
    transport,
  }).extend(publicActions);
}
