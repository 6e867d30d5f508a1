import type { ChainClient } from "./createChainClient";

/** How long a fact is believed: another node may answer at the same URL after this time, or a node may have been upgraded. */
const BELIEVED_MS = 300_000;

/**
 * A yes-or-no fact about the node or chain, read once in five minutes. A first read that fails is repeated by the next call. A fact that
 * is known stays as it is for another five minutes where its next read fails.
 */
export function readOnce(client: ChainClient, name: string, read: () => Promise<boolean>): Promise<boolean> {
  const { facts, clock } = client.endpoints;
  const { capabilities } = facts;
  const known = capabilities.get(name);
  if (known !== undefined && clock() < known.until) return known.answer;
  const answer = known === undefined ? read() : read().catch(() => known.answer);
  capabilities.set(name, { answer, until: clock() + BELIEVED_MS });
  answer.catch(() => {
    // The fact may have been corrected meanwhile.
    if (capabilities.get(name)?.answer === answer) capabilities.delete(name);
  });
  return answer;
}

/** Sets such a fact for five minutes, where the node has shown that the known one is wrong. */
export function correctFact(client: ChainClient, name: string, fact: boolean): void {
  const { facts, clock } = client.endpoints;
  facts.capabilities.set(name, { answer: Promise.resolve(fact), until: clock() + BELIEVED_MS });
}
