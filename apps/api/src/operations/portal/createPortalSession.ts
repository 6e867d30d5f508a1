import { verifySignature } from "@dueday/chain/accounts/verifySignature";
import { type Issue, ServiceError } from "@dueday/core/errors";
import { Hex, plainText } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { findPortalChallenge } from "@dueday/db/access/findPortalChallenge";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { sha256 } from "../../identity/sessionToken";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { presentSession, requirePortal, SessionView, subjectOf } from "./portalSession";
import { compareMessage, nonceOf } from "./signInMessage";

export const MOST_MESSAGE = 2_000;
/** 8 KiB: smart wallets that are not deployed yet send the call that deploys them. */
const MOST_SIGNATURE = 2 + 2 * 8_192;

export const createPortalSession = defineOperation({
  name: "create_portal_session",
  http: { method: "POST", path: "/portal/session" },
  summary: "Sign in to the developer portal with a signed message",
  description:
    "Takes the message of POST /portal/challenge and its signature: of a key, or of a smart wallet (ERC-1271, ERC-6492), which the node of " +
    "the default chain checks. The answer sets the session cookie: HttpOnly, SameSite=Strict, 12 hours. While it lasts, all requests of the " +
    "browser are on the developer lane. A session that the browser had before ends.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SIGN_IN_REFUSED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({
    message: inBody({
      ...plainText(MOST_MESSAGE),
      minLength: 1,
      description: "The message of the challenge, as it was signed",
    }),
    signature: inBody({
      ...Hex,
      maxLength: MOST_SIGNATURE,
      description: "The wallet's signature of the message (personal_sign)",
      expects: "hex digits after 0x, at most 8 KiB",
    }),
  }),
  output: SessionView,
  example: { message: "dueday.example wants you to sign in with your Ethereum account: ...", signature: "0x00" },
  statuses: [201],
  async handler(context, { message, signature }) {
    const portal = requirePortal(context);
    const takeBack = await portal.countAttempt();
    const nonce = nonceOf(message);
    const nonceHash = sha256(nonce ?? "");
    const challenge = await findPortalChallenge(context.database, nonceHash);
    if (nonce === null || challenge === null) throw refused([USED]);
    const { issuedAt, expiresAt } = challenge;
    if (expiresAt.getTime() <= context.clock()) throw refused([EXPIRED]);
    const address = getAddress(challenge.address);
    const { client, config } = context.service.defaultChain;
    const { origin } = portal;
    const faults = compareMessage(message, { address, origin, chainId: config.chainId, nonce, issuedAt, expiresAt });
    if (faults.length > 0) throw refused(faults);
    const signed = { address, message, signature: toLowerCase(signature) };
    if (!(await verifySignature(client, signed))) throw refused([WRONG_SIGNATURE]);
    const session = await portal.start({ subjectId: subjectOf(address), nonceHash });
    if (session === null) throw refused([USED]);
    await takeBack();
    return presentSession(session);
  },
});

const USED: Issue = {
  code: "UNKNOWN_NONCE",
  path: "message",
  message: "has a nonce that was not issued here, or was used: each challenge signs in once",
};
const EXPIRED: Issue = { code: "EXPIRED", path: "message", message: "has expired: it was valid for five minutes" };
const WRONG_SIGNATURE: Issue = {
  code: "WRONG_SIGNATURE",
  path: "signature",
  message: "is not of the message's address: sign with that account, on the default chain if it is a smart wallet",
};

function refused(issues: Issue[]): ServiceError {
  const [first] = issues;
  const text = first === undefined ? "" : ` ${first.path} ${first.message}.`;
  return new ServiceError("SIGN_IN_REFUSED", `Not signed in:${text} Get a new message from POST /portal/challenge`, {
    issues,
  });
}
