import { useEffect, useState } from "react";
import type { Address, Client } from "viem";
import { getBalance, getCapabilities, getGasPrice } from "viem/actions";
import type { Checkout } from "../sale/useCheckout";

/** Gas limits of an approve and a subscribe together: with less ether than they cost, the transactions will probably be refused. */
const GAS = 400_000n;

/** Who pays the network's fee. `seller`: the seller's paymaster, which this wallet accepts. `nobody`: the wallet holds too little ether. */
export type NetworkFee = "unknown" | "seller" | "wallet" | "nobody";

/** The fields of a checkout that decide on the fee. */
type Fees = Pick<Checkout, "chainId" | "paymasterUrl">;

/**
 * Who can pay the network's fee. The wallet is asked once for each answer of the service.
 *
 * @param client of the wallet; null before one is connected
 * @param checkout undefined before the service has answered
 */
export function useNetworkFee(
  client: Client | null,
  account: Address | undefined,
  checkout: Fees | undefined,
): NetworkFee {
  const [read, setRead] = useState<{ client: Client; account: Address; fee: NetworkFee } | null>(null);
  useEffect(() => {
    if (client === null || account === undefined || checkout === undefined) return;
    let isWanted = true;
    readNetworkFee(client, account, checkout).then((fee) => {
      if (isWanted) setRead({ client, account, fee });
    });
    return () => {
      isWanted = false;
    };
  }, [client, account, checkout]);
  // What another wallet or account has is not shown.
  return read?.client === client && read.account === account ? read.fee : "unknown";
}

async function readNetworkFee(client: Client, account: Address, { chainId, paymasterUrl }: Fees): Promise<NetworkFee> {
  if (paymasterUrl !== null && (await takesPaymasters(client, { account, chainId }))) return "seller";
  try {
    const [balance, price] = await Promise.all([getBalance(client, { address: account }), getGasPrice(client)]);
    return balance < price * GAS ? "nobody" : "wallet";
  } catch {
    // The wallet itself reports a lack of ether when it is asked to sign.
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
