import { type Address, getAddress, type Hex, parseAbi, serializeTransaction } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { readOnce } from "../client/readOnce";
import { upstreamError } from "../client/upstreamError";
import { contractRead } from "../reads/contractRead";
import { hasCode } from "../reads/hasCode";
import { readMany } from "../reads/readMany";

/** What an OP-stack chain charges for one transaction beside its gas. */
export type RollupFees = {
  /** Wei for the transaction's data on L1. */
  l1FeeWei: bigint;
  /** Null where the chain's oracle has none. */
  operatorFee: OperatorFee | null;
};

/** The operator's fee, linear in gas used: a constant for each transaction, and a price for each billion gas. */
type OperatorFee = { constantWei: bigint; weiPerBillionGas: bigint };

/** Predeploy of every OP-stack chain; other chains have no code there. */
const GAS_PRICE_ORACLE: Address = getAddress("0x420000000000000000000000000000000000000F");

const gasPriceOracleAbi = parseAbi([
  "function getL1Fee(bytes unsignedTransaction) view returns (uint256)",
  "function getOperatorFee(uint256 gasUsed) view returns (uint256)",
]);

const BILLION = 10n ** 9n;

export type EstimateRollupFeesParameters = { to: Address; data: Hex; value?: bigint; gas: bigint; block: ChainBlock };

/** What one transaction costs beside its gas, from the chain's own oracle; null on a chain without such fees. */
export async function estimateRollupFees(
  client: ChainClient,
  parameters: EstimateRollupFeesParameters,
): Promise<RollupFees | null> {
  const { to, data, value = 0n, gas, block } = parameters;
  try {
    if (!(await hasOracle(client))) return null;
    const fee = block.baseFeePerGas;
    const transaction = serializeTransaction({
      type: "eip1559",
      chainId: client.chain.id,
      // The oracle prices bytes: this nonce and these fees are as long as the ones that the wallet will use.
      nonce: 1_000,
      maxFeePerGas: fee * 2n,
      maxPriorityFeePerGas: fee,
      to,
      data,
      value,
      gas,
    });
    const oracle = { address: GAS_PRICE_ORACLE, abi: gasPriceOracleAbi } as const;
    const [l1Fee, constant, ofBillion] = await readMany(
      client,
      [
        contractRead({ ...oracle, functionName: "getL1Fee", args: [transaction] }),
        // Two points give the straight line: in Isthmus and in Jovian the fee is a constant and a price for gas.
        contractRead({ ...oracle, functionName: "getOperatorFee", args: [0n] }),
        contractRead({ ...oracle, functionName: "getOperatorFee", args: [BILLION] }),
      ],
      block,
    );
    // To leave a broken answer out of the costs would make every transaction look cheaper.
    if ([l1Fee, constant, ofBillion].some((each) => !each.ok && each.isBroken)) {
      throw upstreamError({ kind: "malformed" }, "eth_call");
    }
    if (!l1Fee.ok) return null;
    const operatorFee =
      constant.ok && ofBillion.ok
        ? { constantWei: constant.value, weiPerBillionGas: ofBillion.value - constant.value }
        : null;
    return { l1FeeWei: l1Fee.value, operatorFee };
  } catch (error) {
    throw explainRefusal(error);
  }
}

/** The operator's fee for a transaction that uses `gasUsed`, in wei, rounded up; null where the chain has none. */
export function operatorFeeOf(fees: RollupFees | null, gasUsed: bigint): bigint | null {
  if (fees === null || fees.operatorFee === null) return null;
  const { constantWei, weiPerBillionGas } = fees.operatorFee;
  return constantWei + (weiPerBillionGas * gasUsed + BILLION - 1n) / BILLION;
}

/** All that a transaction with `gasUsed` costs beside its gas, in wei. */
export function rollupCost(fees: RollupFees | null, gasUsed: bigint): bigint {
  return fees === null ? 0n : fees.l1FeeWei + (operatorFeeOf(fees, gasUsed) ?? 0n);
}

function hasOracle(client: ChainClient): Promise<boolean> {
  return readOnce(client, "gas_price_oracle", () => hasCode(client, GAS_PRICE_ORACLE));
}
