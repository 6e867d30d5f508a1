import type { Address } from "viem";
import { wholeNumber } from "../reads/reading";
import { type AddPreparation, type RunPreparation, type SigningOptions, toAddress } from "./preparation";

/** A payer without ether signs a permit, which anybody with ether submits. */
export function addPermitPreparations(add: AddPreparation, run: RunPreparation): void {
  add("permit", "renew the approval of a token by a signature, without ether; with --send it is signed and kept")
    .requiredOption("--token <address>", "the token in which the wallet pays", toAddress)
    .option("--periods <number>", "for the charges of this many periods", wholeNumber, 1)
    .action(async (options: SigningOptions & { token: Address; periods: number }) => {
      const { token, periods } = options;
      await run(
        {
          ask: (dueday, from, call) => dueday.preparePermit({ from, token, approvalPeriods: periods }, call),
          async sign(signer, { onPermit }) {
            const { signPermit } = await import("@dueday/sdk/actions");
            return signPermit(signer.wallet, { ...signer, token, periods, onChecked: onPermit });
          },
        },
        options,
      );
    });

  add("submit-permit <id>", "submit a kept permit of any subscriber (`dueday permits` prints their ids)").action(
    async (permitId: string, options: SigningOptions) => {
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareSubmitPermit({ from, permitId }, call),
          async sign(signer, steps) {
            const { submitPermit } = await import("@dueday/sdk/actions");
            return submitPermit(signer.wallet, { ...signer, ...steps, permitId });
          },
        },
        options,
      );
    },
  );
}
