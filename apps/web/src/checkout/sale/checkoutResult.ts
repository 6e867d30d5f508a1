/** How a checkout ended. None of it proves anything: a seller's server checks the proof, or the entitlement. */
export type CheckoutResult = {
  /** `subscribed` by this checkout, or `already_subscribed` before it. */
  status: "subscribed" | "already_subscribed";
  /** Id of the plan. */
  subscription: string;
  /** The payer. */
  account: string;
  /** Hash of the transaction that subscribed; null where nothing was sent. */
  transaction: string | null;
  /** The seller's own reference, unchanged from the address of the checkout. */
  reference: string | null;
  /** The EIP-4361 message that the payer signed, and its signature; null where no proof was asked for. */
  proof: { message: string; signature: string } | null;
};

/** What the checkout sends to the page that opened it: that it is visible, or that it has ended. */
export type ButtonMessage = { type: "dueday:ready" } | { type: "dueday:result"; result: CheckoutResult };

/** Reads a message of the checkout; null for every other message. The caller checks the origin. */
export function readButtonMessage(data: unknown): ButtonMessage | null {
  if (typeof data !== "object" || data === null || !("type" in data)) return null;
  if (data.type === "dueday:ready") return { type: data.type };
  if (data.type !== "dueday:result" || !("result" in data)) return null;
  // Only messages of the checkout's own origin get here, and the checkout sends nothing else.
  return { type: data.type, result: data.result as CheckoutResult };
}

/** Puts a result into the query of the seller's `return_url`. Fields without a value are left out. */
export function toReturnUrl(returnUrl: string, { proof, ...result }: CheckoutResult): string {
  const url = new URL(returnUrl);
  for (const [name, value] of Object.entries({ ...result, ...proof })) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}
