import { readStanding } from "@dueday/chain/permits/readStanding";
import { readTokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { Address, Count, Nullable } from "@dueday/core/schema";
import { SignedPermitView } from "@dueday/core/schemas/permit";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { endPermits, listPermits as readPermits } from "@dueday/db/permits/storePermit";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { requireSubject } from "../../operation/requireSubject";
import { exampleToken, toPermitView } from "./permit";

const MOST_ENTRIES = 100;

export const listPermits = defineOperation({
  ...liveRead,
  name: "list_permits",
  http: { method: "GET", path: "/permits" },
  summary: "Kept permits of a token, with their signatures",
  description:
    "Needs the developer lane. Permits that count at asOf: neither used nor expired, with the nonce and allowance of their signing; the others are dropped. " +
    "The oldest first. Anyone who has a signature can submit it, until its nonce is used up: judge each by your own node.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: [],
  errors: [...liveRead.errors, "UNAUTHORIZED"],
  input: Type.Object({
    token: inQuery({ ...Address, description: "The token" }),
    first: inQuery(
      Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_ENTRIES,
          default: MOST_ENTRIES,
          expects: `a whole number, 1 to ${MOST_ENTRIES}`,
          description: `Most entries, 1 to ${MOST_ENTRIES}`,
        }),
      ),
    ),
    after: inQuery(
      Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          expects: "nextAfter of the page before",
          description: "nextAfter of the page before",
        }),
      ),
    ),
  }),
  output: chainAnswer({
    permits: Type.Array(SignedPermitView, { maxItems: MOST_ENTRIES, description: "The oldest first" }),
    nextAfter: Nullable({ ...Count, description: "Send it as after for the next page; null at the end" }),
  }),
  example: { token: exampleToken },
  async handler(context, { first = MOST_ENTRIES, after = 0, ...input }) {
    requireSubject(context);
    const { contract, chainId } = context.chain.config;
    const token = getAddress(input.token);
    const scope = { chainId, contract, token: toLowerCase(token) };
    const stored = await readPermits(context.database, { ...scope, after, first });
    return answerLive(context, async (client, block) => {
      const [standing, tokens] = await Promise.all([
        readStanding(client, { contract, permits: stored, block }),
        readTokenInfos(client, { contract, tokens: [token], block }),
      ]);
      const dropped = standing.filter(({ isOver }) => isOver).map(({ permit }) => permit.id);
      await endPermits(context.database, dropped, "dropped");
      const decimals = tokens.get(token)?.decimals ?? 0;
      return {
        permits: standing
          .filter(({ counts }) => counts)
          .map(({ permit }) => ({ ...toPermitView(permit, { chainId, decimals }), signature: permit.signature })),
        nextAfter: stored.length === first ? (stored.at(-1)?.seq ?? null) : null,
      };
    });
  },
});
