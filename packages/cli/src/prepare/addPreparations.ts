import type { Command } from "commander";
import { addPayerPreparations } from "./addPayerPreparations";
import { addPermitPreparations } from "./addPermitPreparations";
import { addProviderPreparations } from "./addProviderPreparations";
import { type RunPreparation, type SigningOptions, toAddress } from "./preparation";

/** Adds `create-subscription`, `subscribe` and the others to `prepare`. Each has its own options and those of signing. */
export function addPreparations(prepare: Command, run: RunPreparation): void {
  const add = (usage: string, description: string) => withSigning(prepare.command(usage).description(description));
  addPayerPreparations(add, run);
  addPermitPreparations(add, run);
  addProviderPreparations(add, run);

  add("remit", "settle one due day, or a page of it, as a keeper").action(async (options: SigningOptions) => {
    await run(
      {
        ask: (dueday, from, call) => dueday.prepareRemit({ from }, call),
        sign: ({ actions }, how) => actions.remit(how),
      },
      options,
    );
  });
}

function withSigning(command: Command): Command {
  return command
    .option("--from <address>", "address that will sign (with --send: that of the keystore, and no other)", toAddress)
    .option("--send", "sign and send, after what is signed was shown")
    .option("--keystore <file>", "keystore of the wallet, as geth and cast write it")
    .option("--password-file <file>", "password of the keystore (default: asked on the terminal)")
    .option("--rpc <url>", "your own node: what is prepared is compared with it, and sent to it")
    .option("--contract <address>", "the protocol's contract (default: the one known for the node's chain)", toAddress)
    .option("--yes", "do not ask before signing");
}
