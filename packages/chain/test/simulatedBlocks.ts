/** A simulated block of a request, as our own client sends it. */
export type RequestedBlock = { blockOverrides: { number: string; time: string }; calls: { gas: string }[] };

/** The blocks of an eth_simulateV1 request of our own client, from its parameters. */
export function simulatedBlocks(params: unknown[]): RequestedBlock[] {
  // The form in which `simulateCalls` sends it.
  return (params[0] as { blockStateCalls: RequestedBlock[] }).blockStateCalls;
}

/** All calls of such a request, in order. */
export function simulatedCalls(params: unknown[]): { gas: string }[] {
  return simulatedBlocks(params).flatMap(({ calls }) => calls);
}
