import { useDuedayQuery } from "@dueday/sdk/react";
import { useConnection, useConnectors } from "wagmi";
import { useInstallation } from "../../config/ChainContext";
import type { Health } from "./health";
import { SignedRenewal } from "./SignedRenewal";

export type SignedRenewalsProps = { health: Health };

/**
 * Approvals that can be renewed by a signature: those that are too low, and those for which the service keeps a permit.
 * Shown if the account's wallet is connected on this chain, or if none is connected and there is exactly one connector.
 * In other cases `RepairButton`, shown above where an approval is missing, connects a wallet, changes the chain, or reports that another
 * account is connected.
 */
export function SignedRenewals({ health }: SignedRenewalsProps) {
  const { account, repair } = health;
  const { chain } = useInstallation();
  const { address, chainId } = useConnection();
  const connectors = useConnectors();
  const isReady =
    address === undefined
      ? connectors.length === 1
      : address.toLowerCase() === account.toLowerCase() && chainId === chain.chainId;
  const { data, isPending } = useDuedayQuery("listAccountPermits", isReady ? { address: account } : null);
  if (!isReady) return null;
  const permits = data?.permits ?? [];
  const tokens = new Set([...repair.approve, ...permits].map(({ token }) => token));
  return [...tokens].map((token) => (
    <SignedRenewal
      key={token}
      health={health}
      token={token}
      kept={isPending ? null : permits.find((each) => each.token === token)}
    />
  ));
}
