import { Address, described, Instant, plainText } from "@dueday/core/schema";
import { storePortalChallenge } from "@dueday/db/access/storePortalChallenge";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { generateSiweNonce } from "viem/siwe";
import { sha256 } from "../../identity/sessionToken";
import { signer } from "../../operation/addressFaults";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { MOST_MESSAGE } from "./createPortalSession";
import { requirePortal } from "./portalSession";
import { signInMessage } from "./signInMessage";

const VALID_MS = 5 * 60_000;

export const createPortalChallenge = defineOperation({
  name: "create_portal_challenge",
  http: { method: "POST", path: "/portal/challenge" },
  summary: "Get the message to sign in to the developer portal with",
  description:
    "The message has the form of EIP-4361 and is valid for five minutes, once. The wallet signs its text without any change (personal_sign), then " +
    "POST /portal/session takes it with its signature. A client's address gets 5 a minute and 200 a day. Needs the Origin of the portal's pages.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ address: inBody({ ...Address, ...signer }) }),
  output: Type.Object({
    message: described(plainText(MOST_MESSAGE), "The text to sign, as it is"),
    expiresAt: Instant,
  }),
  example: { address: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045" },
  statuses: [201],
  async handler(context, input) {
    const { origin, countChallenge } = requirePortal(context);
    await countChallenge();
    const nonce = generateSiweNonce();
    const now = context.clock();
    const challenge = {
      address: getAddress(input.address),
      issuedAt: new Date(now),
      expiresAt: new Date(now + VALID_MS),
    };
    await storePortalChallenge(context.database, { ...challenge, nonceHash: sha256(nonce) });
    const { chainId } = context.service.defaultChain.config;
    return {
      message: signInMessage({ ...challenge, origin, chainId, nonce }),
      expiresAt: challenge.expiresAt.toISOString(),
    };
  },
});
