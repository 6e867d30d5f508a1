import { type Static, Type } from "@sinclair/typebox";
import { Warning } from "../errors";
import { Address, AsOf, DecimalString, Hex, Instant, IntegerString, UntrustedText } from "../schema";
import { ApprovePreflight, preflight } from "./preflight";
import { Instruction } from "./prepareAnswer";

const TokenDecimals = Type.Integer({ minimum: 0, maximum: 255 });
const Deadline = Type.Unsafe<string>({ ...IntegerString, description: "Unix seconds until which it can be submitted" });
const Fields = Type.Array(Type.Object({ name: Type.String(), type: Type.String() }), {
  description: "Fields of the type, in order",
});
const Nonce = Type.Unsafe<string>({
  ...IntegerString,
  description: "Of the owner in the token: one permit uses it up",
});

/** EIP-712 data of a permit (EIP-2612), as `eth_signTypedData_v4` takes it. */
export const TypedPermit = Type.Object(
  {
    domain: Type.Object({
      name: Type.String({ description: "Of the token; compared with the hash that it signs with" }),
      version: Type.String(),
      chainId: Type.Integer({ minimum: 1 }),
      verifyingContract: Address,
    }),
    types: Type.Object({ EIP712Domain: Fields, Permit: Fields }),
    primaryType: Type.Literal("Permit", { description: "The type that is signed" }),
    message: Type.Object({
      owner: Address,
      spender: Type.Unsafe<Static<typeof Address>>({ ...Address, description: "The protocol's contract" }),
      value: IntegerString,
      nonce: Nonce,
      deadline: Deadline,
    }),
  },
  { description: "What the wallet signs, for eth_signTypedData_v4" },
);

const value = {
  value: Type.Unsafe<string>({ ...DecimalString, description: "The allowance that it sets, in whole tokens" }),
  valueRaw: Type.Unsafe<string>({ ...IntegerString, description: "The same in token units" }),
  tokenDecimals: TokenDecimals,
};

/** The answer of preparing a permit. */
export const PreparedPermit = Type.Object({
  summary: Type.String({ description: "What signing does, in one sentence: compare it with what was asked for" }),
  requestId: Type.String({ description: "For support; not stored" }),
  chainId: Type.Integer({ minimum: 1 }),
  instructions: Type.Array(Instruction),
  warnings: Type.Array(Warning),
  typedData: TypedPermit,
  ...value,
  deadline: Deadline,
  preflight: ApprovePreflight,
  asOf: AsOf,
});

const facts = {
  token: Address,
  tokenSymbol: UntrustedText,
  owner: Address,
  amount: DecimalString,
  amountRaw: IntegerString,
  tokenDecimals: TokenDecimals,
  deadline: Deadline,
};
const Facts = Type.Object(facts);
export type PermitFacts = Static<typeof Facts>;

/** `preflight` of submitting a permit: the allowance that it sets. */
export const SubmitPermitPreflight = preflight(facts);

/** A kept permit, without its signature. */
export const PermitView = Type.Object({
  id: Type.String({ description: "UUID of the permit" }),
  chainId: Type.Integer({ minimum: 1 }),
  token: Address,
  owner: Address,
  spender: Address,
  ...value,
  nonce: Nonce,
  deadline: Deadline,
  createdAt: Instant,
});

/** A kept permit as developers get it: anyone who has the signature can submit it. */
export const SignedPermitView = Type.Object({
  ...PermitView.properties,
  signature: Type.Unsafe<Static<typeof Hex>>({
    ...Hex,
    description: "The owner's: anyone who has it can submit the permit",
  }),
});
