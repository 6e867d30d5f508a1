import { verifySignature } from "@dueday/chain/accounts/verifySignature";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { type Address, BaseError, type Client, type Hex, isHex, RpcRequestError } from "viem";
import type { Dueday } from "../createDueday";
import type { Operations } from "../operationTypes";
import { CheckoutError } from "./checkoutError";
import { type CheckoutClaim, readCheckoutMessage, VALID_SECONDS } from "./checkoutMessage";

/** What the payer's browser brings back. */
export type CheckoutProof = { message: string; signature: Hex };
/** A proof as it arrives in a request, which anybody can send. */
export type ReceivedProof = Record<keyof CheckoutProof, unknown>;

/** What the shop knows by itself. Nothing of it may come from the request. */
export type VerifyCheckoutOptions = CheckoutClaim & {
  /** The service, or any other source of its answer. */
  dueday: Pick<Dueday, "getEntitlement">;
  /** A viem client of the chain: smart wallets sign by their code (ERC-1271, ERC-6492). */
  client: Pick<Client, "request">;
  /** Whether this reference was issued and is used for the first time. The shop checks and marks it in one step. Called last. */
  consume(reference: string): Promise<boolean> | boolean;
  /** Unix milliseconds; default: this machine's clock. */
  now?: (() => number) | undefined;
};

/** A checkout that is proven. */
export type Checkout = { account: Address; entitlement: Operations["getEntitlement"]["output"] };

/** How far clocks may differ. */
const TOLERANCE_SECONDS = 60;
const RANDOM_BYTES = 65;

/**
 * Whether the browser that returns from a checkout belongs to the account that pays: the message is this checkout's, for this shop, chain, plan and
 * order, issued less than five minutes ago, signed by an account that is entitled, and its reference is used for the first time.
 *
 * Compare `reference` with the session of the browser that returns, too: otherwise an attacker can send a victim to the page with the
 * attacker's payment.
 *
 * @throws CheckoutError with a `code` that names what is not proven
 *
 * @example
 * const { account } = await verifyCheckout({
 *   ...proof, reference: session.reference, checkout: "https://pay.example", origin: "https://shop.example",
 *   chainId: 8453, subscription, dueday, client, consume: (reference) => orders.markPaid(reference),
 * });
 */
export async function verifyCheckout({
  message,
  signature,
  dueday,
  client,
  consume,
  now = Date.now,
  ...claim
}: ReceivedProof & VerifyCheckoutOptions): Promise<Checkout> {
  if (typeof message !== "string" || !isHex(signature))
    throw new CheckoutError(
      "MALFORMED",
      "A proof has a message, which is a text, and a signature, which is 0x and hex",
    );
  const { account, issuedAt } = readCheckoutMessage(message, claim);
  const age = (now() - issuedAt.getTime()) / 1000;
  if (age >= VALID_SECONDS || age < -TOLERANCE_SECONDS)
    throw new CheckoutError(
      "EXPIRED",
      `The message can be used only within ${VALID_SECONDS} seconds after it was signed`,
    );
  await requireSignature(client, { account, message, signature });
  const entitlement = await readEntitlement(dueday, { id: claim.subscription, account, chainId: claim.chainId });
  if (!entitlement.entitled)
    throw new CheckoutError("NOT_ENTITLED", `The account does not pay for the plan: ${entitlement.state}`);
  if (!(await consume(claim.reference)))
    throw new CheckoutError("USED", "The reference is unknown, or was used before");
  return { account, entitlement };
}

/**
 * The entitlement of an account, from an index that keeps up with the chain.
 *
 * @throws CheckoutError UNAVAILABLE
 */
export async function readEntitlement(
  dueday: Pick<Dueday, "getEntitlement">,
  { chainId, ...input }: { id: Hex; account: Address; chainId: number },
): Promise<Checkout["entitlement"]> {
  let answer: Checkout["entitlement"];
  try {
    answer = await dueday.getEntitlement(input, { chainId });
  } catch (cause) {
    throw new CheckoutError("UNAVAILABLE", "The service did not answer whether the account pays", { cause });
  }
  if (answer.asOf.stale)
    throw new CheckoutError(
      "UNAVAILABLE",
      "The service is behind the chain, so it is not known whether the account pays",
    );
  return answer;
}

async function requireSignature(
  client: Pick<Client, "request">,
  { account: address, message, signature }: CheckoutProof & { account: Address },
): Promise<void> {
  let askedNode = false;
  const rpc = async (method: string, params: unknown) => {
    askedNode = true;
    try {
      // viem's types list methods; this one comes from the function that calls it.
      return await client.request({ method, params } as Parameters<typeof client.request>[0]);
    } catch (error) {
      throw toRefusal(error);
    }
  };
  const isSigned = async (signed: Hex) => {
    try {
      return await verifySignature({ rpc }, { address, message, signature: signed });
    } catch (cause) {
      throw new CheckoutError("UNAVAILABLE", "The node did not answer whether the account has signed", { cause });
    }
  };
  if (!(await isSigned(signature)))
    throw new CheckoutError("WRONG_SIGNATURE", "The message was not signed by its account");
  // A contract that accepts anything would let everybody sign for it.
  if (askedNode && (await isSigned(randomSignature())))
    throw new CheckoutError("ANY_SIGNATURE", "The account is a contract that accepts any signature");
}

function toRefusal(error: unknown): unknown {
  const cause = error instanceof BaseError ? error.walk((each) => each instanceof RpcRequestError) : null;
  if (!(cause instanceof RpcRequestError)) return error;
  const { code, details, data } = cause;
  return new RpcRefusal(
    code,
    details,
    typeof data === "string" && data.startsWith("0x") ? `0x${data.slice(2)}` : undefined,
  );
}

function randomSignature(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
