import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import { validationError } from "@dueday/core/errors";
import { LONGEST_PERMIT_SECONDS } from "@dueday/core/permit/permit";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { simulationFailed } from "../prepare/refusalErrors";
import { readSignedPermit, type SignedPermit, type SignedPermitParameters } from "./readSignedPermit";
import { refusalsOf, tryPermit } from "./tryPermit";

/**
 * Checks that a permit can be kept: its deadline is near enough, its owner has signed it, and it works on the chain's state.
 *
 * @throws ServiceError as `readSignedPermit`, and SIMULATION_FAILED
 */
export async function checkPermit(client: ChainClient, parameters: SignedPermitParameters): Promise<SignedPermit> {
  const { token, deadline, block } = parameters;
  requireNear(deadline, block);
  const checked = await readSignedPermit(client, parameters);
  const { permit } = checked;
  const trial = await tryPermit(client, { token, permit, data: encodePermit(permit), block });
  const [refusal] = refusalsOf(trial);
  if (refusal !== undefined) throw simulationFailed(refusal);
  return checked;
}

function requireNear(deadline: bigint, { timestamp }: ChainBlock): void {
  if (deadline <= timestamp + BigInt(LONGEST_PERMIT_SECONDS)) return;
  const days = LONGEST_PERMIT_SECONDS / DAY_SECONDS;
  throw validationError("deadline", "OUT_OF_RANGE", `must be within ${days} days from now, in unix seconds`);
}
