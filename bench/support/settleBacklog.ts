import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { send } from "@dueday/devnet/send";
import type { Devnet } from "@dueday/devnet/startDevnet";

/** Sends remit() until nothing is due. */
export async function settleBacklog({ client, contract, keeper }: Devnet): Promise<void> {
  const call = { account: keeper.address, to: contract, data: encodeRemit() };
  const isDue = () =>
    client.call(call).then(
      () => true,
      () => false,
    );
  while (await isDue()) await send(client, { from: keeper.address, to: contract, data: call.data });
}
