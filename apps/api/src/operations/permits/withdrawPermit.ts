import { verifySignature } from "@dueday/chain/accounts/verifySignature";
import { ServiceError, validationError } from "@dueday/core/errors";
import { withdrawalMessage } from "@dueday/core/permit/withdrawalMessage";
import { Instant } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { endPermits, findPermit } from "@dueday/db/permits/storePermit";
import { Type } from "@sinclair/typebox";
import { defineOperation, inPath, inQuery } from "../../operation/defineOperation";
import { subjectOf } from "../portal/portalSession";
import { examplePermitId, noPermit, PermitId, permitOperation, Signature } from "./permit";

export const withdrawPermit = defineOperation({
  ...permitOperation,
  name: "withdraw_permit",
  http: { method: "DELETE", path: "/permits/:permitId" },
  summary: "Withdraw a kept permit, as its owner",
  forAgents: "Withdraws a kept permit of the user. Without signature, the error has the text for the user to sign",
  description:
    'By a portal session or developer key of the owner, or by its signature (ERC-191) of the text "Withdraw the permit <permitId> on chain <chainId>. Keepers can no longer ' +
    'get it here; who has seen it can still submit it." The same permit is refused from then on. To end one for good, use up its nonce: POST ' +
    "/prepare/submit_permit with revoke, and with what was signed in place of the id once it is withdrawn.",
  toolsets: ["subscriber"],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["UNAUTHORIZED", "NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({
    permitId: inPath(PermitId),
    signature: inQuery(
      Type.Optional({ ...Signature, description: "Of the owner; not needed with its session or key" }),
    ),
  }),
  output: Type.Object({ id: PermitId, withdrawnAt: Instant }),
  example: { permitId: examplePermitId },
  async handler(context, { permitId, signature }) {
    const { chain, database, subject } = context;
    const { chainId, contract } = chain.config;
    const permit = await findPermit(database, { id: permitId, chainId, contract });
    if (permit === null) throw noPermit();
    const { owner: address } = permit;
    if (subject !== subjectOf(address)) {
      const message = withdrawalMessage({ permitId, chainId });
      if (signature === undefined) throw signatureRequired(message);
      if (!(await verifySignature(chain.client, { address, message, signature: toLowerCase(signature) }))) {
        throw validationError("signature", "WRONG_SIGNATURE", `must be that of the owner, ${address}, of: ${message}`);
      }
    }
    if ((await endPermits(database, [permitId], "withdrawn")) === 0) throw noPermit();
    return { id: permitId, withdrawnAt: new Date(context.clock()).toISOString() };
  },
});

/** @param message the text that the owner signs */
function signatureRequired(message: string): ServiceError {
  return new ServiceError(
    "UNAUTHORIZED",
    `Only its owner can withdraw a permit: sign in to the portal with the owner's wallet, or send as signature the owner's (ERC-191) of: ${message}`,
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}
