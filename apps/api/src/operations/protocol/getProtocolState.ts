import { readProtocolState as readState } from "@dueday/chain/reads/readProtocolState";
import { ProtocolState } from "@dueday/core/snapshots/protocolState";
import { Type } from "@sinclair/typebox";
import { answerUnindexed } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import { defineOperation } from "../../operation/defineOperation";

export const getProtocolState = defineOperation({
  ...chainRead,
  name: "get_protocol_state",
  http: { method: "GET", path: "/protocol/state" },
  summary: "Protocol fee configuration, limits and how far payments are settled",
  forAgents:
    "Fees, limits (maxRemits, cancelLimit), the contract's address and the first day that is not settled (days since 1970 UTC)",
  description:
    "The protocol's settings and progress. nextUncheckedDay is the day that the next remit() settles; all days before it are closed. " +
    "Fees are 10000 + basis points. Served from memory; asOf has its age.",
  bucket: "cheap",
  area: "protocol",
  toolsets: ["read", "keeper"],
  errors: ["NOT_INDEXED"],
  input: Type.Object({}),
  output: chainAnswer(ProtocolState.properties),
  example: {},
  snapshot: () => ({ kind: "protocol", key: "", variant: "state", present: (state) => state }),
  handler: (context) =>
    answerUnindexed(context, "protocol", (client, block) =>
      readState(client, { contract: context.chain.config.contract, block }),
    ),
});
