import { decryptKeystore } from "@dueday/config/decryptKeystore";
import { readSecretFile } from "@dueday/config/readSecretFile";
import { chainDefaults } from "@dueday/core/chains";
import { type Dueday, DuedayError } from "@dueday/sdk";
import { duedayActions } from "@dueday/sdk/actions";
import {
  BaseError,
  createWalletClient,
  HttpRequestError,
  http,
  isAddressEqual,
  TimeoutError,
  WebSocketRequestError,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { getChainId } from "viem/actions";
import type { Table } from "../table";
import type { Preparation, SigningOptions } from "./preparation";
import { prepareTables, type Signed } from "./prepareTables";

/** Questions to the person at a terminal. */
export type Terminal = {
  /** True for yes. */
  confirm(question: string): Promise<boolean>;
  /** Asks without showing what is typed. */
  askSecret(question: string): Promise<string>;
};

export type SendSurroundings = {
  dueday: Dueday;
  /** The chain that was asked for with --chain. */
  chainId: number | undefined;
  /** Shows what will be signed. */
  show(tables: readonly Table[]): void;
  /** Prints a line for each hash. */
  tell(line: string): void;
  /** Undefined without a terminal. */
  terminal?: Terminal | undefined;
  /** Ends the command: an option is missing or wrong. */
  usage(message: string): never;
};

const POLL_MS = 500;

/**
 * Signs what was asked for, after it was compared with the node of `--rpc`, shown and confirmed. Transactions are sent to that node; the
 * service keeps a permit. Nothing of the service is trusted: chain id, contract, calldata and the bound of an approval come from the node, the options and this package.
 *
 * @throws DuedayError REFUSED where the service prepared something else, or the answer was no; TRANSACTION_FAILED where a transaction reverted
 */
export async function sendPrepared(
  preparation: Preparation,
  options: SigningOptions,
  { dueday, chainId: wanted, show, tell, terminal, usage }: SendSurroundings,
): Promise<Signed> {
  const { keystore, rpc, from, yes } = options;
  if (keystore === undefined || rpc === undefined) return usage("--send needs --keystore and --rpc");
  if (!/^https?:\/\//.test(rpc) || !URL.canParse(rpc)) return usage("--rpc must be the URL of a node");
  if (yes !== true && terminal === undefined) return usage("without a terminal --send needs --yes");
  const account = await openKeystore(keystore, options, { terminal, usage });
  if (from !== undefined && !isAddressEqual(from, account.address)) {
    return usage(`--from is not the address of the keystore, ${account.address}`);
  }
  const wallet = createWalletClient({ account, transport: http(rpc), pollingInterval: POLL_MS });
  async function confirm(tables: readonly Table[]): Promise<void> {
    show([{ title: "Signer", columns: ["address"], rows: [[account.address]] }, ...tables]);
    if (yes === true || (await terminal?.confirm("Sign and send? [y/N] ")) === true) return;
    throw new DuedayError("REFUSED", "Nothing was signed: the answer was not yes");
  }
  try {
    const chainId = await getChainId(wallet);
    if (wanted !== undefined && wanted !== chainId) {
      throw new DuedayError("REFUSED", `The node of --rpc is on chain ${chainId}, not on ${wanted}`);
    }
    const contract = options.contract ?? chainDefaults[chainId]?.contract;
    if (contract === undefined) return usage(`name the protocol with --contract: it is not known for chain ${chainId}`);
    const signer = { actions: duedayActions({ dueday, contract })(wallet), wallet, dueday, contract };
    const signed = await preparation.sign(signer, {
      onChecked: (transactions, answer) => confirm(answer === null ? [] : prepareTables(answer, transactions)),
      onPermit: (permit) => confirm(prepareTables(permit)),
      onSent: (hash) => tell(`sent ${hash}`),
    });
    return "receipts" in signed ? { receipts: signed.receipts.map(toMined) } : signed;
  } catch (error) {
    throw error instanceof BaseError ? ofNode(error) : error;
  }
}

function toMined({ transactionHash, blockNumber }: { transactionHash: string; blockNumber: bigint }) {
  return { transactionHash, blockNumber: blockNumber.toString() };
}

async function openKeystore(
  path: string,
  { passwordFile }: SigningOptions,
  { terminal, usage }: Pick<SendSurroundings, "terminal" | "usage">,
): Promise<PrivateKeyAccount> {
  const sealed = await readSecretFile(path);
  if ("problem" in sealed) return usage(`--keystore ${sealed.problem}`);
  let password = "";
  if (passwordFile !== undefined) {
    const read = await readSecretFile(passwordFile);
    if ("problem" in read) return usage(`--password-file ${read.problem}`);
    // Editors add a line break at the end of the file, which is not part of the password.
    password = read.content.replace(/\r?\n$/, "");
  } else if (terminal === undefined) {
    return usage("without a terminal --send needs --password-file");
  } else {
    password = await terminal.askSecret("Password of the keystore: ");
  }
  const key = decryptKeystore(sealed.content, password);
  return typeof key === "string" ? privateKeyToAccount(key) : usage(`--keystore ${key.problem}`);
}

/** Has only the short message, because the long one contains the node's URL, which may contain a key. */
function ofNode(error: BaseError): DuedayError {
  const isAway = (cause: unknown) =>
    cause instanceof HttpRequestError || cause instanceof WebSocketRequestError || cause instanceof TimeoutError;
  const code = error.walk(isAway) === null ? "REFUSED" : "NETWORK_ERROR";
  return new DuedayError(code, `The node of --rpc: ${error.shortMessage}`, { cause: error });
}
