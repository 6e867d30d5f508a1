import { useEffect, useState } from "react";
import { type Client, createPublicClient, custom } from "viem";
import { getBalance, getCapabilities, getGasPrice } from "viem/actions";
import type { Checkout } from "../sale/useCheckout";
import type { Connection } from "./connectWallet";

/** Gas limits of an approve and a subscribe together: a wallet with less ether than they cost will probably be refused. */
const GAS = 400_000n;

/** Who pays the network's fee. `seller`: its paymaster, which this wallet takes. `nobody`: the wallet holds too little ether. */
export type NetworkFee = "unknown" | "seller" | "wallet" | "nobody";

/** Whether the network's fee can be paid, asked of the wallet for each answer of the service. */
export function useNetworkFee(connection: Connection | null, checkout: Checkout): NetworkFee {
  const [fee, setFee] = useState<NetworkFee>("unknown");
  useEffect(() => {
    if (connection === null) return;
    let isWanted = true;
    readNetworkFee(connection, checkout).then((read) => {
      if (isWanted) setFee(read);
    });
    return () => {
      isWanted = false;
    };
  }, [connection, checkout]);
  return fee;
}

async function readNetworkFee(
  { provider, account }: Connection,
  { chainId, paymasterUrl }: Checkout,
): Promise<NetworkFee> {
  const client = createPublicClient({ transport: custom(provider) });
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
  { account, chainId }: Pick<Connection, "account" | "chainId">,
): Promise<boolean> {
  try {
    const { paymasterService } = await getCapabilities(client, { account, chainId });
    return paymasterService?.supported === true;
  } catch {
    return false;
  }
}
