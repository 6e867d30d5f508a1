import { Address } from "@dueday/core/schema";
import { SignedPermitView } from "@dueday/core/schemas/permit";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { listPermits as readPermits } from "@dueday/db/permits/storePermit";
import { Type } from "@sinclair/typebox";
import { answerLive } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { requireSubject } from "../../operation/requireSubject";
import { countingPermits } from "./countingPermits";
import { exampleToken } from "./permit";
import { nextAfter, nextAfterOf, permitPage, permitsOf } from "./permitPage";

const MOST_OWNERS = 50;

export const listPermits = defineOperation({
  ...liveRead,
  name: "list_permits",
  http: { method: "GET", path: "/permits" },
  summary: "Kept permits of a token, with their signatures",
  description:
    "Needs the developer lane. Lists the permits that count at asOf, the oldest first: not expired, and the owner's nonce and allowance are still those at " +
    "which it signed. Permits that the chain shows to be over are dropped. Anyone who has a signature can submit it, until its nonce is used up: judge each by your own node.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: [],
  errors: [...liveRead.errors, "LANE_REQUIRED"],
  input: Type.Object({
    token: inQuery({ ...Address, description: "The token" }),
    owner: inQuery(
      Type.Optional(
        Type.Array(Address, { maxItems: MOST_OWNERS, description: "Only of these owners; may be repeated" }),
      ),
    ),
    ...permitPage,
  }),
  output: chainAnswer({ permits: permitsOf(SignedPermitView), nextAfter }),
  example: { token: exampleToken },
  async handler(context, { token, owner, first, after = 0 }) {
    requireSubject(context);
    const { contract, chainId } = context.chain.config;
    const asked = { token: toLowerCase(token), owners: owner?.map(toLowerCase) ?? null };
    const permits = await readPermits(context.database, { chainId, contract, ...asked, first, after });
    return answerLive(context, async (client, block) => ({
      permits: (await countingPermits(context, client, { permits, block })).map(({ permit: { signature }, view }) => ({
        ...view,
        signature,
      })),
      nextAfter: nextAfterOf(permits, first),
    }));
  },
});
