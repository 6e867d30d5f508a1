import { cleanTexts } from "@dueday/core/text/cleanText";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { StoredProfile } from "@dueday/db/history/readProviderProfile";
import { type Static, Type } from "@sinclair/typebox";
import type { HistoryDetails } from "../historySource";

/** A subgraph returns a BigInt as text, and an Int as a number. */
const Numeric = Type.Union([Type.String({ pattern: "^[0-9]{1,78}$" }), Type.Integer({ minimum: 0 })]);
const Bytes = Type.String({ pattern: "^0x(?:[0-9a-fA-F]{2})*$" });
const Account = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });
const Hash = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" });

/** Entities of the subgraph, with the fields that queries request. */
export const SubLogEntity = Type.Object({
  id: Type.String(),
  internal_id: Bytes,
  provider: Account,
  subscriber: Account,
  timestamp: Numeric,
  amount: Numeric,
  token: Account,
  subScriptEvent: Numeric,
  blockNumber: Numeric,
  transactionHash: Hash,
});
export type SubLogEntity = Static<typeof SubLogEntity>;

export const DetailsLogEntity = Type.Object({
  url: Type.String(),
  description: Type.String(),
  timestamp: Numeric,
  blockNumber: Numeric,
  transactionHash: Hash,
});

export const ProvDetailsLogEntity = Type.Object({
  description: Type.String(),
  company: Type.String(),
  url: Type.String(),
  domain: Type.String(),
  email: Type.String(),
  misc: Type.String(),
  timestamp: Numeric,
});

/** Names of an entity's fields, for a query. */
export function fieldsOf(entity: { properties: object }): string {
  return Object.keys(entity.properties).join(" ");
}

/** An event without its token's symbol and decimals, which the subgraph does not have. */
export function toSubLog(entity: SubLogEntity) {
  return {
    id: toLowerCase(entity.internal_id),
    code: Number(entity.subScriptEvent),
    provider: toLowerCase(entity.provider),
    subscriber: toLowerCase(entity.subscriber),
    token: toLowerCase(entity.token),
    amount: BigInt(entity.amount),
    timestamp: Number(entity.timestamp),
    blockNumber: Number(entity.blockNumber),
    logIndex: logIndexOf(entity.id),
    transactionHash: toLowerCase(entity.transactionHash),
  };
}

/** A subgraph's event id is the transaction hash and the little-endian log index; null for an id of another form. */
function logIndexOf(id: string): number | null {
  const bytes = /^0x[0-9a-f]{64}([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(id);
  return bytes === null ? null : Number.parseInt(bytes.slice(1).reverse().join(""), 16);
}

export function toDetails(entity: Static<typeof DetailsLogEntity>): HistoryDetails {
  return {
    logIndex: null,
    ...cleanTexts({ url: entity.url, description: entity.description }),
    timestamp: Number(entity.timestamp),
    blockNumber: Number(entity.blockNumber),
    transactionHash: toLowerCase(entity.transactionHash),
  };
}

export function toProfile({ timestamp, ...texts }: Static<typeof ProvDetailsLogEntity>): StoredProfile {
  return { ...cleanTexts(texts), verifiedDomain: null, timestamp: Number(timestamp) };
}
