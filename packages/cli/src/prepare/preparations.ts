import type { CallOptions } from "@dueday/sdk";
import type { ActionOptions, ActionResult, DuedayActions, PreparedAnswer, PrepareSource } from "@dueday/sdk/actions";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Address, Hex } from "viem";
import { FREQUENCIES, frequencyNumber } from "../frequency";

/** One thing to sign: what the service answers, and the same compared with the own node and signed. */
export type Preparation = {
  ask(dueday: PrepareSource, from: Address, call: CallOptions): Promise<PreparedAnswer>;
  sign(actions: DuedayActions, options: ActionOptions): Promise<ActionResult>;
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

type Run = (preparation: Preparation, options: SigningOptions) => Promise<void>;
type Details = { url: string; description: string };

/** Adds `create-subscription`, `subscribe` and the others to `prepare`. Each has its own options and those of signing. */
export function addPreparations(prepare: Command, run: Run): void {
  const add = (usage: string, description: string) => withSigning(prepare.command(usage).description(description));

  add("create-subscription", "create a plan, as its provider")
    .requiredOption("--amount <tokens>", "in whole tokens, such as 12.50")
    .requiredOption("--token <address>", "the ERC-20 token", toAddress)
    .addOption(new Option("--frequency <name>").choices(FREQUENCIES).makeOptionMandatory())
    .requiredOption("--due-day <number>", "1 to 7 weekly, to 28 monthly, to 90 quarterly, to 365 yearly", Number)
    .option("--url <url>", "address of the plan's page", "")
    .option("--description <text>", "text of the plan", "")
    .action(async (options: SigningOptions & Details & Terms) => {
      const { amount, token, frequency: name, dueDay, url, description } = options;
      const terms = { amount, token, frequency: frequencyNumber(name), dueDay, details: { url, description } };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareCreateSubscription({ from, ...terms }, call),
          sign: (actions, how) => actions.createSubscription({ ...terms, ...how }),
        },
        options,
      );
    });

  onPlan(add("subscribe <id>", "subscribe to a plan, with an approval where it is needed"))
    .option("--periods <number>", "approve for the charges of this many periods", Number)
    .addOption(new Option("--infinite", "approve without limit").conflicts("periods"))
    .action(async (id: Hex, options: SigningOptions & Approval) => {
      const { periods: approvalPeriods, infinite: infiniteApproval } = options;
      const input = { id, approvalPeriods, infiniteApproval };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareSubscribeById({ from, ...input }, call),
          sign: (actions, how) => actions.subscribe({ ...input, ...how }),
        },
        options,
      );
    });

  onPlan(add("approve <id>", "approve the token of a plan for its next charges"))
    .option("--periods <number>", "for the charges of this many periods (default: 1)", Number)
    .addOption(new Option("--infinite", "without limit").conflicts("periods"))
    .option("--exact", "for this plan only")
    .action(async (id: Hex, options: SigningOptions & Approval & { exact?: true }) => {
      const { periods = 1, infinite, exact } = options;
      const extent = infinite === true ? { infinite } : { periods };
      const input =
        infinite === true ? { id, exact, infiniteApproval: infinite } : { id, exact, approvalPeriods: periods };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareApprove({ from, ...input }, call),
          sign: (actions, how) => actions.approve({ id, exact, ...extent, ...how }),
        },
        options,
      );
    });

  onPlan(add("unsubscribe <id>", "leave a plan")).action(async (id: Hex, options: SigningOptions) => {
    await run(
      {
        ask: (dueday, from, call) => dueday.prepareUnsubscribeById({ from, id }, call),
        sign: (actions, how) => actions.unsubscribe({ id, ...how }),
      },
      options,
    );
  });

  onPlan(add("remove-subscriber <id>", "end the subscription of one subscriber, as the provider"))
    .argument("<subscriber>", "address", toAddress)
    .action(async (id: Hex, subscriber: Address, options: SigningOptions) => {
      const input = { id, subscriber };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareUnsubscribeByProviderById({ from, ...input }, call),
          sign: (actions, how) => actions.removeSubscriber({ ...input, ...how }),
        },
        options,
      );
    });

  onPlan(add("cancel <id>", "cancel a plan for all of its subscribers; it can't be undone")).action(
    async (id: Hex, options: SigningOptions) => {
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareCancelSubscriptionById({ from, id }, call),
          sign: (actions, how) => actions.cancelSubscription({ id, ...how }),
        },
        options,
      );
    },
  );

  onPlan(add("edit-details <id>", "replace the page and the text of a plan"))
    .requiredOption("--url <url>")
    .requiredOption("--description <text>")
    .action(async (id: Hex, options: SigningOptions & Details) => {
      const input = { id, details: { url: options.url, description: options.description } };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareEditDetails({ from, ...input }, call),
          sign: (actions, how) => actions.editDetails({ ...input, ...how }),
        },
        options,
      );
    });

  add("edit-profile", "replace the profile of a provider; what is left out becomes empty")
    .option("--description <text>", "", "")
    .option("--company <name>", "", "")
    .option("--url <url>", "", "")
    .option("--domain <domain>", "", "")
    .option("--email <address>", "", "")
    .option("--misc <text>", "", "")
    .action(async (options: SigningOptions & Profile) => {
      const { description, company, url, domain, email, misc } = options;
      const profile = { description, company, url, domain, email, misc };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareEditProviderProfile({ from, profile }, call),
          sign: (actions, how) => actions.editProviderProfile({ profile, ...how }),
        },
        options,
      );
    });

  add("remit", "settle one due day, or a page of it, as a keeper").action(async (options: SigningOptions) => {
    await run(
      {
        ask: (dueday, from, call) => dueday.prepareRemit({ from }, call),
        sign: (actions, how) => actions.remit(how),
      },
      options,
    );
  });
}

type Terms = { amount: string; token: Address; frequency: (typeof FREQUENCIES)[number]; dueDay: number };
type Approval = { periods?: number; infinite?: true };
type Profile = { description: string; company: string; url: string; domain: string; email: string; misc: string };

function withSigning(command: Command): Command {
  return command
    .option("--from <address>", "the wallet that will sign; with --send the keystore's", toAddress)
    .option("--send", "sign and send, after what is signed was shown")
    .option("--keystore <file>", "keystore of the wallet, as geth and cast write it")
    .option("--password-file <file>", "password of the keystore (default: asked on the terminal)")
    .option("--rpc <url>", "your own node: what is prepared is compared with it, and sent to it")
    .option("--contract <address>", "the protocol (default: that of the node's chain, where it is built in)", toAddress)
    .option("--yes", "do not ask before signing");
}

/** A command whose first argument is the id of a plan. */
function onPlan(command: Command): Command {
  const [id] = command.registeredArguments;
  id?.argParser(toId);
  return command;
}

function toAddress(text: string): Address {
  if (!isHexOf(text, 40)) throw new InvalidArgumentError("Use an address: 0x and 40 hexadecimal digits.");
  return text;
}

function toId(text: string): Hex {
  if (!isHexOf(text, 64)) throw new InvalidArgumentError("Use the id of a plan: 0x and 64 hexadecimal digits.");
  return text;
}

function isHexOf(text: string, digits: number): text is Hex {
  return new RegExp(`^0x[0-9a-fA-F]{${digits}}$`).test(text);
}
