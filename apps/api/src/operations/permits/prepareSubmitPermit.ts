import { prepareSubmitPermit as prepare } from "@dueday/chain/permits/prepareSubmitPermit";
import { readSignedPermit } from "@dueday/chain/permits/readSignedPermit";
import { validationError } from "@dueday/core/errors";
import { Address, IntegerString } from "@dueday/core/schema";
import { SubmitPermitPreflight } from "@dueday/core/schemas/permit";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { findPermit } from "@dueday/db/permits/storePermit";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "../prepare/answerPrepare";
import { exampleFrom, prepareInput } from "../prepare/prepareInput";
import { examplePermitId, noPermit, PermitId, permitErrors, Signature } from "./permit";

const NAME = "prepare_submit_permit";

/** A permit that is named by what its owner has signed. */
const signedFields = {
  token: inBody(Type.Optional({ ...Address, description: "With value, deadline, signature: a permit of from" })),
  value: inBody(Type.Optional({ ...IntegerString, description: "As signed, as in keep_permit" })),
  deadline: inBody(Type.Optional({ ...IntegerString, description: "As signed" })),
  signature: inBody(Type.Optional({ ...Signature, description: "The owner's" })),
};
const SignedFields = Type.Object(signedFields);
type Signed = Required<Static<typeof SignedFields>>;

export const prepareSubmitPermit = defineOperation({
  ...prepareOnSubscription,
  toolsets: ["subscriber", "keeper"],
  name: NAME,
  http: { method: "POST", path: "/prepare/submit_permit" },
  summary: "Unsigned permit() of a kept permit, for any wallet with ether",
  forAgents: "The unsigned transaction of a kept permit, for any wallet with ether. Answers as prepare_subscribe_by_id",
  answersLike: "prepare_subscribe_by_id",
  description:
    "Unsigned permit() with the owner's signature, simulated: it sets the allowance that the owner has signed, and nothing else. Any wallet may send it. With revoke " +
    "the owner uses the permit up and sets its allowance to 0 in one batch: that ends for good what others have seen. In place of permitId the owner may send what it has " +
    "signed, to end a permit that the service does not keep.",
  errors: [...new Set([...prepareOnSubscription.errors, ...permitErrors])],
  input: Type.Object({
    ...prepareInput,
    permitId: inBody(Type.Optional(PermitId)),
    ...signedFields,
    revoke: inBody(
      Type.Optional(Type.Boolean({ description: "Set the allowance to 0 after it; from has to be the owner" })),
    ),
  }),
  output: prepareAnswer(SubmitPermitPreflight),
  example: { from: exampleFrom, permitId: examplePermitId },
  async handler(context, { permitId, token, value, deadline, signature, ...input }) {
    const { chainId, contract } = context.chain.config;
    const given = { token, value, deadline, signature };
    if (permitId === undefined) {
      const signed = requireSigned(given);
      return answerPrepare(context, NAME, input, async (client, parameters) => {
        const { from, block } = parameters;
        const { permit } = await readSignedPermit(client, { contract, from, block, ...signed });
        return prepare(client, { ...parameters, permit });
      });
    }
    const [surplus] = Object.entries(given).find(([, each]) => each !== undefined) ?? [];
    if (surplus !== undefined) throw validationError(surplus, "CONTRADICTION", "must not be sent with permitId");
    const permit = await findPermit(context.database, { id: permitId, chainId, contract });
    if (permit === null)
      throw noPermit("Its owner can submit it still: send token, value, deadline and signature in place of permitId");
    return answerPrepare(context, NAME, { ...input, permit }, prepare);
  },
});

/** @throws ServiceError VALIDATION_ERROR where a field is missing */
function requireSigned({ token, value, deadline, signature }: { [field in keyof Signed]: Signed[field] | undefined }) {
  if (token === undefined) {
    throw validationError(
      "permitId",
      "REQUIRED",
      "is required: the id of a kept permit; or send token, value, deadline and signature of one that from has signed",
    );
  }
  if (value === undefined) throw missing("value");
  if (deadline === undefined) throw missing("deadline");
  if (signature === undefined) throw missing("signature");
  return {
    token: getAddress(token),
    value: BigInt(value),
    deadline: BigInt(deadline),
    signature: toLowerCase(signature),
  };
}

function missing(path: string) {
  return validationError(
    path,
    "REQUIRED",
    "is required beside token: token, value, deadline and signature name a permit",
  );
}
