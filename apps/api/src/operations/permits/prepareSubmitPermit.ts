import { prepareSubmitPermit as prepare } from "@dueday/chain/permits/prepareSubmitPermit";
import { SubmitPermitPreflight } from "@dueday/core/schemas/permit";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { findPermit } from "@dueday/db/permits/storePermit";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "../prepare/answerPrepare";
import { exampleFrom, prepareInput } from "../prepare/prepareInput";
import { examplePermitId, noPermit, PermitId } from "./permit";

const NAME = "prepare_submit_permit";

export const prepareSubmitPermit = defineOperation({
  ...prepareOnSubscription,
  toolsets: ["subscriber"],
  name: NAME,
  http: { method: "POST", path: "/prepare/submit_permit" },
  summary: "Unsigned permit() of a kept permit, for any wallet with ether",
  forAgents: "As prepare_subscribe_by_id, for submitting a kept permit; any wallet with ether can",
  answersLike: "prepare_subscribe_by_id",
  description:
    "Unsigned permit() with the owner's signature, simulated: it sets the allowance that the owner has signed, and nothing else. Any wallet may send it. With revoke " +
    "the owner uses the permit up and sets its allowance to 0 in one batch: that ends for good what others have seen.",
  input: Type.Object({
    ...prepareInput,
    permitId: inBody(PermitId),
    revoke: inBody(
      Type.Optional(Type.Boolean({ description: "Set the allowance to 0 after it; from has to be the owner" })),
    ),
  }),
  output: prepareAnswer(SubmitPermitPreflight),
  example: { from: exampleFrom, permitId: examplePermitId },
  async handler(context, { permitId, ...input }) {
    const { chainId, contract } = context.chain.config;
    const permit = await findPermit(context.database, { id: permitId, chainId, contract });
    if (permit === null) throw noPermit();
    return answerPrepare(context, NAME, { ...input, permit }, prepare);
  },
});
