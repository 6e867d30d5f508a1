import { type Address, getAddress, type Hex, parseAbi, serializeTransaction } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { readOnce } from "../client/readOnce";
import { contractRead } from "../reads/contractRead";
import { readMany } from "../reads/readMany";

/** Predeploy of every OP-stack chain; other chains have no code there. */
const GAS_PRICE_ORACLE: Address = getAddress("0x420000000000000000000000000000000000000F");

const gasPriceOracleAbi = parseAbi(["function getL1Fee(bytes unsignedTransaction) view returns (uint256)"]);

export type EstimateL1FeeParameters = { to: Address; data: Hex; value?: bigint; gas: bigint; block: ChainBlock };

/** L1 data fee of one transaction in wei, from the chain's own oracle; null on a chain without such a fee. */
export async function estimateL1Fee(client: ChainClient, parameters: EstimateL1FeeParameters): Promise<bigint | null> {
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
    const args = [transaction] as const;
    const read = contractRead({ address: GAS_PRICE_ORACLE, abi: gasPriceOracleAbi, functionName: "getL1Fee", args });
    const [result] = await readMany(client, [read], block);
    return result.ok ? result.value : null;
  } catch (error) {
    throw explainRefusal(error);
  }
}

function hasOracle(client: ChainClient): Promise<boolean> {
  return readOnce(client, "gas_price_oracle", async () => {
    const code = await client.rpc("eth_getCode", [GAS_PRICE_ORACLE, "latest"]);
    return typeof code === "string" && code.length > 2;
  });
}
