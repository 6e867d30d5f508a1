import { demoPlans, failingPayers } from "@dueday/devnet/scenarios/demoPlans";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import type { Page } from "playwright-core";

/** A page of the web app, or one of its parts. */
export type WebView = {
  /** Of its pictures. */
  name: string;
  /** Below /app. */
  path: string;
  /** The page shows it when it is complete. */
  text: string | RegExp;
  /** A button that shows more of it. */
  press?: string;
  /** Of its pictures, in pixels. Default: those of `screens.ts`. */
  widths?: readonly number[];
  /** Whether its figures have a block, so that they can be stale. Default: true. */
  hasBlock?: boolean;
};

const plan = demoPlans.find(({ key }) => key === "reader");
const [failing] = failingPayers.balance;

/** The provider of the subscription of these views: its wallet sees everything that can be done. */
export const viewsProvider = testAccount(ACCOUNT_INDEX.firstProvider + (plan?.provider ?? 0));
/** A subscriber whose balance is too low for its next payment. */
const subscriber = testAccount(ACCOUNT_INDEX.firstSubscriber + failing.subscriber);
const nobody = "0x00000000000000000000000000000000000000aa";

/** Every page of the demo, with the wallet of `viewsProvider`. */
export function fullViews({ subscriptions }: Pick<Devnet, "subscriptions">, today: string): WebView[] {
  const subscription = `/subscriptions/${subscriptions.reader}`;
  const [account, provider] = [`/accounts/${subscriber.address}`, `/providers/${viewsProvider.address}`];
  return [
    { name: "start", path: "/", text: "What I pay:", hasBlock: false },
    { name: "my", path: `/my?account=${subscriber.address}`, text: "will fail" },
    { name: "sell", path: "/sell", text: "Choose a wallet", hasBlock: false },
    { name: "calendar", path: "/calendar", text: "to come" },
    { name: "calendar-day", path: `/calendar?day=${today}`, text: "To be charged" },
    { name: "calendar-chosen", path: `/calendar?account=${subscriber.address}`, text: "Outgoing in 30 days" },
    { name: "subscriptions", path: "/subscriptions", text: "HUSD" },
    { name: "subscription", path: subscription, text: "Put the button on your site" },
    { name: "subscription-edit", path: subscription, text: "Edit or cancel", press: "Edit or cancel" },
    { name: "subscription-subscribers", path: `${subscription}?tab=subscribers`, text: "Remove a subscriber" },
    { name: "subscription-history", path: `${subscription}?tab=history`, text: "provider was paid" },
    { name: "accounts", path: "/accounts", text: "What I pay", hasBlock: false },
    { name: "account", path: account, text: "fails: balance too low" },
    { name: "account-coming", path: `${account}?tab=coming`, text: "Outgoing in 30 days" },
    { name: "account-activity", path: `${account}?tab=activity`, text: "Transaction" },
    { name: "account-spending", path: `${account}?tab=spending`, text: "Net" },
    { name: "account-statement", path: `${account}?tab=statement`, text: "Print", press: "Show the statement" },
    { name: "providers", path: "/providers", text: "What I earn", hasBlock: false },
    { name: "provider", path: provider, text: "Monthly recurring revenue", press: "Show the outlook" },
    { name: "provider-payments", path: provider, text: "Monthly recurring revenue", press: "Show the latest payments" },
    { name: "provider-income", path: `${provider}?tab=income`, text: "Net" },
    { name: "provider-subscriptions", path: `${provider}?tab=subscriptions`, text: "Subscribers" },
    { name: "provider-at-risk", path: `${provider}?tab=at-risk`, text: "At risk" },
    { name: "provider-profile", path: `${provider}?tab=profile`, text: "Edit your profile" },
    { name: "keepers", path: "/keepers", text: "Keeper fees" },
    { name: "keepers-settle", path: "/keepers?tab=settle", text: "Gas price", press: "Show the history" },
    { name: "developers", path: "/developers", text: /Sign in as|Sign out/, press: "Deliveries", hasBlock: false },
    { name: "status", path: "/status", text: "Calls per minute", hasBlock: false },
  ];
}

/** Pages of a chain on which nothing has happened yet. */
export function emptyViews(today: string): WebView[] {
  return [
    { name: "calendar", path: "/calendar", text: "Calendar" },
    { name: "calendar-day", path: `/calendar?day=${today}`, text: "No subscription is due" },
    { name: "subscriptions", path: "/subscriptions", text: "No subscriptions yet" },
    { name: "my", path: `/my?account=${nobody}`, text: "This account pays nothing" },
    { name: "account", path: `/accounts/${nobody}`, text: "No subscriptions" },
    { name: "account-activity", path: `/accounts/${nobody}?tab=activity`, text: "No events" },
    { name: "account-spending", path: `/accounts/${nobody}?tab=spending`, text: "Nothing was charged" },
    { name: "provider", path: `/providers/${nobody}`, text: "No subscribers yet" },
    { name: "provider-income", path: `/providers/${nobody}?tab=income`, text: "Nothing was charged" },
    { name: "provider-subscriptions", path: `/providers/${nobody}?tab=subscriptions`, text: "No subscriptions yet" },
    { name: "provider-at-risk", path: `/providers/${nobody}?tab=at-risk`, text: "At risk" },
    { name: "provider-profile", path: `/providers/${nobody}?tab=profile`, text: "No profile" },
    { name: "keepers", path: "/keepers", text: "Nothing is due" },
    { name: "keepers-settle", path: "/keepers?tab=settle", text: "Nothing to settle" },
    { name: "status", path: "/status", text: "Newest block" },
  ];
}

/** Parts of the demo that are empty beside others that are not. */
export function emptyParts({ subscriptions }: Pick<Devnet, "subscriptions">): WebView[] {
  const subscription = `/subscriptions/${subscriptions.unsold}`;
  return [
    { name: "subscription-subscribers", path: `${subscription}?tab=subscribers`, text: "No active subscribers" },
    { name: "subscription-history", path: `${subscription}?tab=history`, text: "created" },
  ];
}

/** Opens a view and waits until it is complete. @param url of the service */
export async function showView(page: Page, url: string, { path, text, press }: WebView): Promise<void> {
  await page.goto(`${url}/app${path}`);
  await untilShown(page, text);
  if (press === undefined) return;
  const button = page.getByRole("main").getByRole("button", { name: press }).first();
  if ((await button.count()) === 0) return;
  await button.click();
  await untilLoaded(page);
}

/** Waits until a page shows its content and nothing is on its way any more. */
export async function untilShown(page: Page, text: string | RegExp): Promise<void> {
  await page.locator("main").getByText(text).filter({ visible: true }).first().waitFor();
  await untilLoaded(page);
}

/** Waits until a page shows no placeholder. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.locator("main h1").waitFor();
  await page.locator('main [role="status"][aria-label^="Loading"]').first().waitFor({ state: "detached" });
}
