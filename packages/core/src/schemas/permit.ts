import { type Static, Type } from "@sinclair/typebox";
import { Warnings } from "../errors";
import {
  Address,
  AsOf,
  ChainId,
  DecimalString,
  described,
  Hex,
  Instant,
  IntegerString,
  RequestId,
  Sentence,
  ShortText,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
  Uuid,
} from "../schema";
import { ApprovePreflight, preflight } from "./preflight";
import { Instructions } from "./prepareAnswer";

const Deadline = described(IntegerString, "Unix seconds until which it can be submitted");
const Fields = Type.Array(Type.Object({ name: ShortText, type: ShortText }), {
  maxItems: 5,
  description: "Fields of the type, in order",
});
const Nonce = described(IntegerString, "Nonce of the owner in the token; each submitted permit uses one");

/** EIP-712 data of a permit (EIP-2612), as `eth_signTypedData_v4` takes it. */
export const TypedPermit = Type.Object(
  {
    domain: Type.Object({
      name: described(ShortText, "Name of the token; checked against the token's domain separator"),
      version: ShortText,
      chainId: ChainId,
      verifyingContract: Address,
    }),
    types: Type.Object({ EIP712Domain: Fields, Permit: Fields }),
    primaryType: Type.Literal("Permit", { description: "The type that is signed" }),
    message: Type.Object({
      owner: Address,
      spender: described(Address, "The protocol's contract"),
      value: IntegerString,
      nonce: Nonce,
      deadline: Deadline,
    }),
  },
  { description: "What the wallet signs, for eth_signTypedData_v4" },
);

const value = {
  value: described(DecimalString, "The allowance that it sets, in whole tokens"),
  valueRaw: described(TokenUnits, "The same in token units"),
  tokenDecimals: TokenDecimals,
};

/** The answer of preparing a permit. */
export const PreparedPermit = Type.Object({
  summary: described(Sentence, "What signing does, in one sentence: compare it with what was asked for"),
  requestId: RequestId,
  chainId: ChainId,
  instructions: Instructions,
  warnings: Warnings,
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
  amountRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
  deadline: Deadline,
};
const Facts = Type.Object(facts);
export type PermitFacts = Static<typeof Facts>;

/** `preflight` of submitting a permit: the allowance that it sets. */
export const SubmitPermitPreflight = preflight(facts);

/** A kept permit, without its signature. */
export const PermitView = Type.Object({
  id: described(Uuid, "UUID of the permit"),
  chainId: ChainId,
  token: Address,
  owner: Address,
  spender: Address,
  ...value,
  nonce: Nonce,
  deadline: Deadline,
  createdAt: Instant,
});

/** A kept permit as lists for people show it. */
export const ListedPermitView = Type.Object({ ...PermitView.properties, tokenSymbol: UntrustedText });

/** A kept permit as developers get it: anyone who has the signature can submit it. */
export const SignedPermitView = Type.Object({
  ...PermitView.properties,
  signature: described(Hex, "The owner's: anyone who has it can submit the permit"),
});
