import { DuedayError, type DuedayErrorCode } from "@dueday/sdk";
import { cleanText } from "../ui/UntrustedText";

/** Why something was not signed, sent or mined, for a person. */
export type Failure = {
  /** A code of docs/errors.md, or of a wallet. */
  code: DuedayErrorCode | WalletFailureCode;
  title: string;
  /** What to do about it. */
  remedy: string;
  /** Each rule that refuses, or each fault of the input; `path` names the field. */
  issues: readonly { path?: string; message: string }[];
  /** For the operator of the service. */
  requestId: string | null;
  /** Seconds after which the same request may succeed. */
  retryAfter: number | null;
};

export type WalletFailureCode =
  | "REJECTED_IN_WALLET"
  | "WALLET_BUSY"
  | "WRONG_CHAIN"
  | "WRONG_ACCOUNT"
  | "NO_GAS"
  | "WALLET_FAILED";

type Text = Pick<Failure, "title" | "remedy">;

/** What a person can do, in the words of docs/errors.md. */
const remedies: Partial<Record<DuedayErrorCode, Text>> = {
  VALIDATION_ERROR: { title: "The input is not valid", remedy: "Correct what is listed and send it again." },
  URL_REFUSED: { title: "This URL can't be used", remedy: "Correct what is listed and send it again." },
  LANE_REQUIRED: { title: "Not signed in", remedy: "Your session has ended. Sign in again." },
  NOT_READY: {
    title: "The chain does not allow this now",
    remedy: "Nothing was signed. Try again when the reason no longer applies.",
  },
  SIMULATION_FAILED: {
    title: "The chain would refuse this transaction",
    remedy:
      "It was simulated and reverted, so there is nothing to sign. It may succeed after the chain's state has changed.",
  },
  RATE_LIMITED: {
    title: "You have reached the request limit",
    remedy: "This request was refused and does not count. Wait, then try again.",
  },
  REFUSED: {
    title: "Refused to sign",
    remedy:
      "What the service prepared is not what you asked for, so your wallet was not asked. Report it to the operator.",
  },
  TRANSACTION_FAILED: {
    title: "The transaction failed",
    remedy:
      "It has changed nothing, but gas is spent. What was mined before it stays. Load the page again and look at the reason.",
  },
  NOT_FOUND: { title: "There is no such subscription", remedy: "Check the id, and that it is of this chain." },
  RETURN_URL_REFUSED: {
    title: "This link is not the seller's",
    remedy: "Nothing was signed for it. Start again on the seller's own site.",
  },
  SIGN_IN_REFUSED: { title: "Not signed in", remedy: "Sign in again, with the account that the wallet has selected." },
  PORTAL_DISABLED: {
    title: "The developer portal is switched off",
    remedy:
      "Its operator has switched it off, so no settings can be stored here. Payment links and buttons still work: they open the checkout in a tab.",
  },
  NETWORK_ERROR: { title: "The service can't be reached", remedy: "Check your connection and try again." },
  TIMEOUT: {
    title: "The service did not answer in time",
    remedy: "It may have done what you asked for. Load the page again and look, then try again if it has not.",
  },
  UPSTREAM_TIMEOUT: { title: "The service was too slow", remedy: "Do what the reason above says." },
  UPSTREAM_ERROR: { title: "The chain's node sent an unusable answer", remedy: "Try again." },
  UPSTREAM_UNAVAILABLE: { title: "The chain's node can't be reached", remedy: "Try again later." },
  NOT_INDEXED: { title: "The service is behind the chain", remedy: "Try again in a moment." },
  API_DISABLED: { title: "The service is switched off", remedy: "Its operator has switched it off. Try again later." },
  INTERNAL: { title: "A bug in the service", remedy: "Please report it with the number of the request." },
};

const UNKNOWN: Text = { title: "That did not work", remedy: "Try again." };

type WalletText = Text & { code: WalletFailureCode };

const rejected: WalletText = {
  code: "REJECTED_IN_WALLET",
  title: "Rejected in the wallet",
  // Something may have been sent before, such as an approval that this transaction was to follow.
  remedy: "It was neither signed nor sent. What you confirmed before it stays.",
};
const wrongChain: WalletText = {
  code: "WRONG_CHAIN",
  title: "Your wallet is not on this chain",
  remedy: "Switch the wallet to this chain, then try again.",
};
const unknownChain: WalletText = {
  code: "WRONG_CHAIN",
  title: "Your wallet does not know this chain",
  remedy: "Add the chain to the wallet, then try again.",
};
const wrongAccount: WalletText = {
  code: "WRONG_ACCOUNT",
  title: "Your wallet has another account selected",
  remedy: "Nothing was signed. Select the account of this page in the wallet, then try again.",
};
const busy: WalletText = {
  code: "WALLET_BUSY",
  title: "Your wallet is waiting for you",
  remedy: "Open the wallet and answer what it shows.",
};
const noGas: WalletText = {
  code: "NO_GAS",
  title: "The wallet refused the transaction",
  remedy: "It usually lacks ether for gas. Top it up and try again.",
};

/** By the codes of EIP-1193, EIP-1474 and EIP-5792. */
const walletTexts: ReadonlyMap<unknown, WalletText> = new Map([
  [4001, rejected],
  [5750, rejected],
  [4901, wrongChain],
  [4902, unknownChain],
  [-32002, busy],
  [-32003, noGas],
]);
/** By the names of viem's and wagmi's errors. */
const namedTexts: ReadonlyMap<unknown, WalletText> = new Map([
  ["ChainMismatchError", wrongChain],
  ["ConnectorChainMismatchError", wrongChain],
  ["InsufficientFundsError", noGas],
  ["WrongAccountError", wrongAccount],
]);

const SHOWN_CHARACTERS = 200;

/** Describes an error of the service, the SDK or a wallet in sentences for people. A wallet's own text is cleaned and cut. */
export function describeFailure(error: unknown): Failure {
  if (DuedayError.is(error)) {
    const { code, message, issues, revert, requestId, retryAfter } = error;
    const reasons = issues.length > 0 ? issues : [{ message: revert?.message ?? message }];
    return { code, ...(remedies[code] ?? UNKNOWN), issues: reasons, requestId, retryAfter };
  }
  const none = { issues: [], requestId: null, retryAfter: null };
  for (const { code, name } of causesOf(error)) {
    const known = walletTexts.get(code) ?? namedTexts.get(name);
    if (known !== undefined) return { ...known, ...none };
  }
  const text = cleanText(firstLineOf(error), SHOWN_CHARACTERS);
  const issues = text === "" ? [] : [{ message: text }];
  return { ...none, code: "WALLET_FAILED", title: "Your wallet could not do this", remedy: "Try again.", issues };
}

/** An error and the causes of it, outermost first. */
function causesOf(error: unknown): { code?: unknown; name?: unknown }[] {
  const causes: object[] = [];
  for (let each = error; typeof each === "object" && each !== null && !causes.includes(each); ) {
    causes.push(each);
    each = "cause" in each ? each.cause : null;
  }
  return causes;
}

/** Prefers the `shortMessage` of viem's errors: their `message` repeats the request. */
function firstLineOf(error: unknown): string {
  const { shortMessage, message }: { shortMessage?: unknown; message?: unknown } = Object(error);
  return String(shortMessage ?? message ?? "").split("\n", 1)[0] ?? "";
}
