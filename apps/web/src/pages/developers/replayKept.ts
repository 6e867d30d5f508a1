import type { Dueday } from "@dueday/sdk";

/**
 * Requests that all stored events of its chain are sent to a webhook. A replay from seq 0 is refused once the oldest ones have been deleted.
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
