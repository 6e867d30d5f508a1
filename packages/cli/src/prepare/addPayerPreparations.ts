import { type Command, Option } from "commander";
import type { Address, Hex } from "viem";
import { wholeNumber } from "../reads/reading";
import { type AddPreparation, onPlans, type RunPreparation, type SigningOptions, toAddress } from "./preparation";

type Approval = { periods?: number; infinite?: true };
type Target = { token?: Address; exact?: true };

/** What the subscriber of a plan signs. */
export function addPayerPreparations(add: AddPreparation, run: RunPreparation): void {
  onPlans(add("subscribe <id>", "subscribe to a plan, with an approval where it is needed"))
    .option("--periods <number>", "approve for the charges of this many periods", wholeNumber)
    .addOption(new Option("--infinite", "approve without limit").conflicts("periods"))
    .action(async (id: Hex, options: SigningOptions & Approval) => {
      const { periods: approvalPeriods, infinite: infiniteApproval } = options;
      const input = { id, approvalPeriods, infiniteApproval };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareSubscribeById({ from, ...input }, call),
          sign: ({ actions }, how) => actions.subscribe({ ...input, ...how }),
        },
        options,
      );
    });

  onPlans(add("approve [id]", "approve a token for the next charges: name a plan by its id, or the token with --token"))
    .addOption(new Option("--token <address>", "for all that is paid in this token").argParser(toAddress))
    .option("--periods <number>", "for the charges of this many periods (default: 1)", wholeNumber)
    .addOption(new Option("--infinite", "without limit").conflicts("periods"))
    .addOption(new Option("--exact", "for this plan only").conflicts("token"))
    .action(async (id: Hex | undefined, options: SigningOptions & Approval & Target, command: Command) => {
      const { periods = 1, infinite, token, exact } = options;
      const target = id !== undefined ? { id, exact } : token !== undefined ? { token } : null;
      if (target === null || (id !== undefined && token !== undefined))
        return command.error("error: name either a plan by its id, or a token with --token");
      const wish = infinite === true ? { infiniteApproval: infinite } : { approvalPeriods: periods };
      const extent = infinite === true ? { infinite } : { periods };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareApprove({ from, ...target, ...wish }, call),
          sign: ({ actions }, how) => actions.approve({ ...target, ...extent, ...how }),
        },
        options,
      );
    });

  onPlans(add("unsubscribe <id>", "leave a plan")).action(async (id: Hex, options: SigningOptions) => {
    await run(
      {
        ask: (dueday, from, call) => dueday.prepareUnsubscribeById({ from, id }, call),
        sign: ({ actions }, how) => actions.unsubscribe({ id, ...how }),
      },
      options,
    );
  });

  onPlans(add("change-plan <leave> <join>", "subscribe to one plan, then leave another"))
    .option("--periods <number>", "approve for the charges of this many periods", wholeNumber)
    .addOption(new Option("--infinite", "approve without limit").conflicts("periods"))
    .action(async (leave: Hex, join: Hex, options: SigningOptions & Approval) => {
      const input = { leave, join, approvalPeriods: options.periods, infiniteApproval: options.infinite };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareChangePlan({ from, ...input }, call),
          sign: ({ actions }, how) => actions.changePlan({ ...input, ...how }),
        },
        options,
      );
    });
}
