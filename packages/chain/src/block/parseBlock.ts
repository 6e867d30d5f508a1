import { type Hex, isHex } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { expectQuantity } from "../client/expectQuantity";
import { explainRefusal } from "../client/explainRefusal";
import { parseQuantity } from "../client/parseQuantity";
import { isRecord } from "../client/parseRpcAnswer";
import { upstreamError } from "../client/upstreamError";
import type { ChainBlock } from "./chainBlock";

const METHOD = "eth_getBlockBy";

/** Parses an answer of eth_getBlockBy*; throws UPSTREAM_ERROR for anything else. The base fee of a chain without one is 0. */
export function parseBlock(answer: unknown): ChainBlock & { parentHash: Hex } {
  if (!isRecord(answer) || !isHex(answer.hash) || !isHex(answer.parentHash))
    throw upstreamError({ kind: "malformed" }, METHOD);
  return {
    number: expectQuantity(answer.number, METHOD),
    hash: answer.hash,
    parentHash: answer.parentHash,
    timestamp: expectQuantity(answer.timestamp, METHOD),
    ...milliseconds(answer),
    baseFeePerGas: expectQuantity(answer.baseFeePerGas ?? "0x0", METHOD),
    gasLimit: expectQuantity(answer.gasLimit, METHOD),
  };
}

/** The block with this hash. UPSTREAM_ERROR where the node does not have it. */
export async function readBlockByHash(client: ChainClient, hash: Hex): Promise<ChainBlock> {
  try {
    const { parentHash: _, ...block } = parseBlock(await client.rpc("eth_getBlockByHash", [hash, false]));
    return block;
  } catch (error) {
    throw explainRefusal(error);
  }
}

/** Milliseconds that lie in another second than the block's `timestamp` are left out. */
function milliseconds({ timestamp, timestampMs }: Record<string, unknown>): Pick<ChainBlock, "timestampMs"> {
  const ms = parseQuantity(timestampMs);
  return ms === null || ms / 1_000n !== parseQuantity(timestamp) ? {} : { timestampMs: Number(ms) };
}
