import type { CallOptions, Dueday } from "@dueday/sdk";
import type {
  ActionOptions,
  ActionResult,
  DuedayActions,
  PreparedAnswer,
  PreparedPermit,
  SignedPermit,
  WalletClient,
} from "@dueday/sdk/actions";
import { type Command, InvalidArgumentError } from "commander";
import type { Address, Hex } from "viem";

/** The wallet that signs what `dueday` prepares for `contract`. It sends to the user's own node (`--rpc`); the chain is that of this node. */
export type Signer = { actions: DuedayActions; wallet: WalletClient; dueday: Dueday; contract: Address };

/** The steps of signing: nothing is signed before it was shown, and confirmed unless `--yes` was given. */
export type SigningSteps = Required<Pick<ActionOptions, "onChecked" | "onSent">> & {
  onPermit(permit: PreparedPermit): Promise<void>;
};

/** One thing to sign: `ask` returns what the service prepares; `sign` compares that with the user's own node and signs it. */
export type Preparation = {
  ask(dueday: Dueday, from: Address, call: CallOptions): Promise<PreparedAnswer | PreparedPermit>;
  sign(signer: Signer, steps: SigningSteps): Promise<ActionResult | SignedPermit>;
};

/** Who signs, and with what. */
export type SigningOptions = {
  from?: Address;
  send?: true;
  keystore?: string;
  passwordFile?: string;
  rpc?: string;
  contract?: Address;
  yes?: true;
};

/** Adds a command of `prepare`, with the options of signing. */
export type AddPreparation = (usage: string, description: string) => Command;

export type RunPreparation = (preparation: Preparation, options: SigningOptions) => Promise<void>;

export function toAddress(text: string): Address {
  if (!isHexOf(text, 40)) throw new InvalidArgumentError("Use an address: 0x and 40 hexadecimal digits.");
  return text;
}

export function toId(text: string): Hex {
  if (!isHexOf(text, 64)) throw new InvalidArgumentError("Use the id of a plan: 0x and 64 hexadecimal digits.");
  return text;
}

/** A command whose arguments are all ids of plans. */
export function onPlans(command: Command): Command {
  for (const each of command.registeredArguments) each.argParser(toId);
  return command;
}

function isHexOf(text: string, digits: number): text is Hex {
  return text.length === "0x".length + digits && /^0x[0-9a-fA-F]*$/.test(text);
}
