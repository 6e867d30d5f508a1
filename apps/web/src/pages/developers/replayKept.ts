import type { Dueday } from "@dueday/sdk";

/**
 * Requests that all stored events of a webhook's chain are sent to it. A replay from seq 0 is refused once the oldest events have been deleted.
 *
 * @throws DuedayError
 */
export async function replayKept(
  dueday: Pick<Dueday, "listEvents" | "replayWebhook">,
  { id, chainId }: { id: string; chainId: number },
) {
  const { events } = await dueday.listEvents({ first: 1 }, { chainId });
  const [oldest] = events;
  return dueday.replayWebhook({ id, after: oldest === undefined ? 0 : oldest.seq - 1 });
}
