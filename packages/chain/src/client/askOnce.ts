import type { ChainClient } from "./createChainClient";

/** The answer to a yes-or-no question about the chain, asked once in the client's life; a failed question is asked again. */
export function askOnce(client: ChainClient, name: string, ask: () => Promise<boolean>): Promise<boolean> {
  const known = client.facts.answers.get(name);
  if (known !== undefined) return known;
  const answer = ask();
  client.facts.answers.set(name, answer);
  answer.catch(() => client.facts.answers.delete(name));
  return answer;
}
