import { DuedayError } from "@dueday/sdk";
import { checkoutMessage } from "@dueday/sdk/gate";
import { type Address, createWalletClient, custom, type EIP1193Provider } from "viem";
import type { CheckoutResult } from "../sale/checkoutResult";
import type { CheckoutRequest } from "../sale/readRequest";
import type { Checkout } from "../sale/useCheckout";

const NONCE_BYTES = 16;

/**
 * Asks the wallet to sign that its account pays for the plan. The proof holds only for the shop that opened the checkout.
 *
 * @throws what `sellerOrigin` throws, or the error that the wallet rejects with
 */
export async function signProof(
  { provider, account }: { provider: EIP1193Provider; account: Address },
  { request, checkout }: { request: CheckoutRequest; checkout: Checkout },
): Promise<CheckoutResult["proof"]> {
  const message = checkoutMessage({
    checkout: location.origin,
    origin: sellerOrigin(request, checkout),
    chainId: checkout.chainId,
    subscription: checkout.subscription.id,
    reference: request.reference ?? "",
    account,
    nonce: newNonce(),
    issuedAt: new Date(),
  });
  const client = createWalletClient({ account, transport: custom(provider) });
  return { message, signature: await client.signMessage({ message }) };
}

/**
 * Origin of the shop: of `returnUrl`, which the service has allowed, or of the page that opened this one where the seller lists it.
 *
 * @throws DuedayError RETURN_URL_REFUSED where there is neither
 */
export function sellerOrigin({ origin }: CheckoutRequest, { returnUrl, frameOrigins }: Checkout): string {
  if (returnUrl !== null) return new URL(returnUrl).origin;
  if (origin !== null && frameOrigins.includes(origin)) return origin;
  throw new DuedayError(
    "RETURN_URL_REFUSED",
    "The page that opened this checkout is not one that the seller lists, so no proof can be signed for it",
  );
}

function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}
