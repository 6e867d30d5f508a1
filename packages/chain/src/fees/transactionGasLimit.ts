import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** Gas that one transaction after `block` may have: the chain's cap for a transaction, and not more than a block. */
export function transactionGasLimit({ txGasCap }: Pick<ChainClient, "txGasCap">, { gasLimit }: ChainBlock): bigint {
  return txGasCap !== null && txGasCap < gasLimit ? txGasCap : gasLimit;
}
