import { checkPermit } from "@dueday/chain/permits/checkPermit";
import { requirePayer } from "@dueday/chain/permits/requirePayer";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { ServiceError } from "@dueday/core/errors";
import { IntegerString } from "@dueday/core/schema";
import { PermitView } from "@dueday/core/schemas/permit";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { storePermit } from "@dueday/db/permits/storePermit";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive } from "../../operation/answerLive";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { exampleFrom } from "../prepare/prepareInput";
import { exampleToken, permitErrors, permitInput, permitOperation, Signature, toPermitView } from "./permit";

export const keepPermit = defineOperation({
  ...permitOperation,
  name: "keep_permit",
  http: { method: "POST", path: "/permits" },
  summary: "Keep a signed permit, for keepers to submit",
  forAgents: "Keeps a permit that the user has signed, so that a keeper can submit it before a payment fails",
  description:
    "The typed data is built again from the chain; the signature has to be the owner's (a smart wallet's is checked by its code), and permit() has to set " +
    "exactly this allowance when it is run on the chain's state. The service keeps it and sends nothing. The permit replaces the owner's earlier one in the " +
    "token, and no longer counts once it is used, has expired, or nonce or allowance have changed. A permit that was replaced or withdrawn is refused.",
  toolsets: ["subscriber"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  errors: [...permitErrors, "NOT_READY", "SIMULATION_FAILED"],
  input: Type.Object({
    ...permitInput,
    value: inBody({ ...IntegerString, description: "The allowance in token units: valueRaw of prepare_permit" }),
    deadline: inBody({ ...IntegerString, description: "Unix seconds, as signed; at most 35 days from now" }),
    signature: inBody({ ...Signature, description: "Of the typed data of prepare_permit" }),
  }),
  output: PermitView,
  statuses: [201],
  example: {
    from: exampleFrom,
    token: exampleToken,
    value: "120000000",
    deadline: "1798761600",
    signature: `0x${"ab".repeat(65)}`,
  },
  async handler(context, { from, value, deadline, signature, ...input }) {
    const { contract, chainId } = context.chain.config;
    const token = getAddress(input.token);
    const { checked, decimals, blockTimestamp } = await answerLive(context, async (client, block) => {
      const numbers = { value: BigInt(value), deadline: BigInt(deadline) };
      const [checked, tokens] = await Promise.all([
        checkPermit(client, { contract, token, from, ...numbers, signature: toLowerCase(signature), block }),
        readTokenInfos(client, { contract, tokens: [token], block }),
        requirePayer(client, { contract, token, account: getAddress(from), coverage: context.chain.coverage, block }),
      ]);
      return { checked, decimals: tokens.get(token)?.decimals ?? 0, blockTimestamp: block.timestamp };
    });
    const now = new Date(context.clock());
    const stored = await storePermit(context.database, {
      id: crypto.randomUUID(),
      chainId,
      contract,
      ...checked,
      blockTimestamp,
      now,
    });
    if ("refused" in stored) throw alreadyEnded(stored.refused);
    return toPermitView(stored, { chainId, decimals });
  },
});

function alreadyEnded(how: "replaced" | "withdrawn"): ServiceError {
  const message = `This permit was ${how} before and is not kept again: prepare and sign a new one`;
  return new ServiceError("NOT_READY", message, { issues: [{ code: "NOT_ALLOWED", path: "signature", message }] });
}
