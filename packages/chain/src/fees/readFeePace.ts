import { hexToBigInt, isHex, numberToHex, size, slice } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import { parseBlock } from "../block/parseBlock";
import type { ChainClient } from "../client/createChainClient";
import type { FeePace } from "../client/createEndpoints";
import { explainRefusal } from "../client/explainRefusal";
import { isRecord } from "../client/parseRpcAnswer";

/** How long a pace is believed: what decides it changes with upgrades of the chain. */
const BELIEVED_MS = 300_000;
/** The shortest time that is measured. Two headers show it in whole seconds and may show a second too much: a fourth of it at most. */
const MEASURED_MS = 4_000;
const SECOND_MS = 1_000;
/** The factor by which each header that is read lies further back than the one before. */
const STRIDE = 8n;

/** A block uses at most twice its gas target, and moves the base fee by at most an eighth (EIP-1559). */
const ETHEREUM_RISE = { numerator: 1n, denominator: 8n };
/** An OP Stack header since Holocene: a version, four bytes of denominator, four of elasticity; since Jovian, the least base fee. */
const PARAMETERS_BYTES = [9, 17];

/** The pace of the chain up to `block`, from its headers, read once in five minutes. Throws ServiceError UPSTREAM_*. */
export function readFeePace(client: ChainClient, { block }: { block: ChainBlock }): Promise<FeePace> {
  const { facts, clock } = client.endpoints;
  if (facts.feePace !== undefined && clock() < facts.feePace.until) return facts.feePace.answer;
  const answer = measurePace(client, block);
  facts.feePace = { answer, until: clock() + BELIEVED_MS };
  answer.catch(() => {
    if (facts.feePace?.answer === answer) delete facts.feePace;
  });
  return answer;
}

async function measurePace(client: ChainClient, block: ChainBlock): Promise<FeePace> {
  try {
    let rise = ETHEREUM_RISE;
    for (let back = 1n; back <= block.number; back *= STRIDE) {
      const answer = await client.rpc("eth_getBlockByNumber", [numberToHex(block.number - back), false]);
      const earlier = parseBlock(answer);
      if (back === 1n) rise = riseOf(isRecord(answer) ? answer.extraData : undefined);
      const elapsedMs = Number(block.timestamp - earlier.timestamp) * SECOND_MS;
      if (elapsedMs >= MEASURED_MS) return { intervalMs: (elapsedMs - SECOND_MS) / Number(back), rise };
    }
    return { intervalMs: null, rise };
  } catch (error) {
    throw explainRefusal(error);
  }
}

function riseOf(extraData: unknown): FeePace["rise"] {
  if (!isHex(extraData) || !PARAMETERS_BYTES.includes(size(extraData))) return ETHEREUM_RISE;
  const word = (start: number): bigint => hexToBigInt(slice(extraData, start, start + 4));
  const [denominator, elasticity] = [word(1), word(5)];
  return denominator > 0n && elasticity > 1n ? { numerator: elasticity - 1n, denominator } : ETHEREUM_RISE;
}
