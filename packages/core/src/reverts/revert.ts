import { type Static, Type } from "@sinclair/typebox";
import { described, oneLine, oneOf, Sentence } from "../schema";
import { panics, protocolReverts } from "./protocolReverts";
import { REASON_LIMIT_BYTES } from "./reasonLimitBytes";
import { tokenErrors } from "./tokenErrors";

type ProtocolName = (typeof protocolReverts)[keyof typeof protocolReverts]["name"];
type PanicName = (typeof panics)[keyof typeof panics]["name"];

const otherReverts = ["PANIC", "OUT_OF_GAS", "NO_REASON", "TOKEN_REASON", "UNKNOWN_ERROR"] as const;

/** Every name of a decoded revert. */
export type RevertName = ProtocolName | PanicName | keyof typeof tokenErrors | (typeof otherReverts)[number];

export const revertNames: readonly RevertName[] = [
  ...[...Object.values(protocolReverts), ...Object.values(panics)].map(({ name }) => name),
  // The keys of an object literal are those of its type.
  ...(Object.keys(tokenErrors) as (keyof typeof tokenErrors)[]),
  ...otherReverts,
];

/** A revert of the protocol or of a token, decoded. */
export const Revert = Type.Object({
  code: described(
    oneLine(REASON_LIMIT_BYTES),
    "The protocol's number, Panic(n), the name of a custom error or the selector of an unknown one, a token's own reason, or empty",
  ),
  name: oneOf(revertNames, "Stable name of the revert"),
  message: described(Sentence, "What it means and what to do"),
});
export type Revert = Static<typeof Revert>;
