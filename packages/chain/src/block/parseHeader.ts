import { type Hex, isHex } from "viem";
import { isRecord } from "../client/parseRpcAnswer";
import type { ChainBlock } from "./chainBlock";
import { parseBlock } from "./parseBlock";

/** The root of a tree without receipts: no transaction is in the block. */
const NO_RECEIPTS = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const BLOOM_CHARACTERS = 2 + 512;

/** A block with what its header shows of its place and its logs. */
export type Header = ChainBlock & {
  parentHash: Hex;
  /** Null where the node sends none. */
  logsBloom: Hex | null;
  /** The header proves that the block has no transaction. */
  isEmpty: boolean;
};

/** Parses an answer of eth_getBlockBy* or a notification of newHeads; throws UPSTREAM_ERROR for anything else. */
export function parseHeader(answer: unknown): Header {
  const block = parseBlock(answer);
  const { logsBloom, receiptsRoot } = isRecord(answer) ? answer : {};
  return {
    ...block,
    logsBloom: isHex(logsBloom) && logsBloom.length === BLOOM_CHARACTERS ? logsBloom : null,
    isEmpty: receiptsRoot === NO_RECEIPTS,
  };
}
