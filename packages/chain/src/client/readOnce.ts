import type { ChainClient } from "./createChainClient";

/** A yes-or-no fact about the node or chain, read once in the client's life; a read that fails is repeated by the next call. */
export function readOnce(client: ChainClient, name: string, read: () => Promise<boolean>): Promise<boolean> {
  const { capabilities } = client.facts;
  const known = capabilities.get(name);
  if (known !== undefined) return known;
  const answer = read();
  capabilities.set(name, answer);
  answer.catch(() => capabilities.delete(name));
  return answer;
}
