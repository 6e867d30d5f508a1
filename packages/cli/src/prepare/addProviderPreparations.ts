import { Option } from "commander";
import type { Address, Hex } from "viem";
import { FREQUENCIES, frequencyNumber } from "../reads/frequency";
import { wholeNumber } from "../reads/reading";
import { type AddPreparation, onPlans, type RunPreparation, type SigningOptions, toAddress } from "./preparation";

type Terms = { amount: string; token: Address; frequency: (typeof FREQUENCIES)[number]; dueDay: number };
type Details = { url: string; description: string };
type Profile = { description: string; company: string; url: string; domain: string; email: string; misc: string };

/** What the provider of a plan signs. */
export function addProviderPreparations(add: AddPreparation, run: RunPreparation): void {
  add("create-subscription", "create a plan, as its provider")
    .requiredOption("--amount <tokens>", "in whole tokens, such as 12.50")
    .requiredOption("--token <address>", "the ERC-20 token", toAddress)
    .addOption(new Option("--frequency <name>").choices(FREQUENCIES).makeOptionMandatory())
    .requiredOption("--due-day <number>", "1 to 7 weekly, to 28 monthly, to 90 quarterly, to 365 yearly", wholeNumber)
    .option("--url <url>", "address of the plan's page", "")
    .option("--description <text>", "text of the plan", "")
    .action(async (options: SigningOptions & Details & Terms) => {
      const { amount, token, frequency: name, dueDay, url, description } = options;
      const terms = { amount, token, frequency: frequencyNumber(name), dueDay, details: { url, description } };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareCreateSubscription({ from, ...terms }, call),
          sign: ({ actions }, how) => actions.createSubscription({ ...terms, ...how }),
        },
        options,
      );
    });

  onPlans(add("remove-subscriber <id>", "end the subscription of one subscriber, as the provider"))
    .argument("<subscriber>", "address", toAddress)
    .action(async (id: Hex, subscriber: Address, options: SigningOptions) => {
      const input = { id, subscriber };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareUnsubscribeByProviderById({ from, ...input }, call),
          sign: ({ actions }, how) => actions.removeSubscriber({ ...input, ...how }),
        },
        options,
      );
    });

  onPlans(add("cancel <id>", "cancel a plan for all of its subscribers; it can't be undone")).action(
    async (id: Hex, options: SigningOptions) => {
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareCancelSubscriptionById({ from, id }, call),
          sign: ({ actions }, how) => actions.cancelSubscription({ id, ...how }),
        },
        options,
      );
    },
  );

  onPlans(add("edit-details <id>", "replace the page and the text of a plan"))
    .requiredOption("--url <url>")
    .requiredOption("--description <text>")
    .action(async (id: Hex, options: SigningOptions & Details) => {
      const input = { id, details: { url: options.url, description: options.description } };
      await run(
        {
          ask: (dueday, from, call) => dueday.prepareEditDetails({ from, ...input }, call),
          sign: ({ actions }, how) => actions.editDetails({ ...input, ...how }),
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
          sign: ({ actions }, how) => actions.editProviderProfile({ profile, ...how }),
        },
        options,
      );
    });
}
