import type { AppChain } from "../../config/appConfig";

/** A transaction at the chain's explorer; nothing where the operator names none. */
export function TransactionLink({ chain, hash }: { chain: AppChain; hash: string }) {
  if (chain.explorerUrl === null) return null;
  return (
    <a href={`${chain.explorerUrl}/tx/${hash}`} target="_blank" rel="noreferrer noopener">
      Show the transaction
    </a>
  );
}
