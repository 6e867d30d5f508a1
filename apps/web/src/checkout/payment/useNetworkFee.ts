import { useEffect, useState } from "react";
import type { Address, Client } from "viem";
import { getBalance, getCapabilities, getGasPrice } from "viem/actions";
import type { Checkout } from "../sale/useCheckout";

/** Gas limits of an approve and a subscribe together: a wallet with less ether than they cost will probably be refused. */
const GAS = 400_000n;

/** Who pays the network's fee. `seller`: its paymaster, which this wallet takes. `nobody`: the wallet holds too little ether. */
export type NetworkFee = "unknown" | "seller" | "wallet" | "nobody";

/** Of a checkout. */
type Fees = Pick<Checkout, "chainId" | "paymasterUrl">;

/**
 * Whether the network's fee can be paid, asked of the wallet for each answer of the service.
 *
 * @param client of the wallet; null before one is connected
 * @param checkout undefined before the service has answered
 */
export function useNetworkFee(
  client: Client | null,
  account: Address | undefined,
  checkout: Fees | undefined,
): NetworkFee {
  const [fee, setFee] = useState<NetworkFee>("unknown");
  useEffect(() => {
    if (client === null || account === undefined || checkout === undefined) return;
    let isWanted = true;
    readNetworkFee(client, account, checkout).then((read) => {
      if (isWanted) setFee(read);
    });
    return () => {
      isWanted = false;
    };
  }, [client, account, checkout]);
  return fee;
}

async function readNetworkFee(client: Client, account: Address, { chainId, paymasterUrl }: Fees): Promise<NetworkFee> {
  if (paymasterUrl !== null && (await takesPaymasters(client, { account, chainId }))) return "seller";
  try {
    const [balance, price] = await Promise.all([getBalance(client, { address: account }), getGasPrice(client)]);
    return balance < price * GAS ? "nobody" : "wallet";
  } catch {
    // The wallet reports it itself when it is asked to sign.
    return "unknown";
  }
}

/** A wallet that does not know the method has no capabilities. */
async function takesPaymasters(
  client: Client,
  { account, chainId }: { account: Address; chainId: number },
): Promise<boolean> {
  try {
    const { paymasterService } = await getCapabilities(client, { account, chainId });
    return paymasterService?.supported === true;
  } catch {
    return false;
  }
}
