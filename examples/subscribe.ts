import { createDueday } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import { type Chain, createWalletClient, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** Subscribes a wallet: an approval for 12 periods where it needs one, then the subscription. Resolves when both are mined. */
export async function subscribe(service: Service, { key, id }: { key: Hex; id: Hex }): Promise<Hex[]> {
  const dueday = createDueday({ baseUrl: service.url });
  const wallet = createWalletClient({
    account: privateKeyToAccount(key),
    chain: service.chain,
    transport: http(service.rpcUrl),
  });
  const actions = wallet.extend(duedayActions({ dueday, contract: service.contract }));
  const { receipts } = await actions.subscribe({ id, approvalPeriods: 12 });
  return receipts.map(({ transactionHash }) => transactionHash);
}

/** URLs of the service and of your own node. `contract` is needed on a chain that the SDK does not know. */
export type Service = { url: string; rpcUrl: string; chain: Chain; contract?: Hex };
