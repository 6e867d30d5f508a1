/**
 * Compute units of a JSON-RPC method: what Alchemy charges for a call, as a common measure of what calls cost at a provider. A
 * batch costs the sum of its calls.
 *
 * Source: https://www.alchemy.com/docs/reference/compute-unit-costs, "EVM: Standard JSON-RPC Methods", read in November 2026.
 */
const computeUnitsByMethod: Record<string, number> = {
  eth_blockNumber: 10,
  eth_call: 26,
  eth_chainId: 0,
  eth_createAccessList: 10,
  eth_estimateGas: 20,
  eth_feeHistory: 10,
  eth_gasPrice: 20,
  eth_getBlockByHash: 20,
  eth_getBlockByNumber: 20,
  eth_getBlockReceipts: 20,
  eth_getCode: 20,
  eth_getLogs: 60,
  eth_getStorageAt: 20,
  eth_getTransactionByHash: 20,
  eth_getTransactionCount: 20,
  eth_getTransactionReceipt: 20,
  eth_maxPriorityFeePerGas: 10,
  eth_sendRawTransaction: 40,
  eth_simulateV1: 40,
  eth_subscribe: 10,
  eth_unsubscribe: 10,
};

/** The price that is assumed for a method that is not in the table: that of most methods that read. */
const USUAL = 20;

export function computeUnits(method: string): number {
  return computeUnitsByMethod[method] ?? USUAL;
}
