import { approve, fund, subscribe, unsubscribe } from "@dueday/devnet/scenarios/actions";
import { settle } from "@dueday/devnet/test/settle";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "@dueday/devnet/testAccount";
import type { Browser, Page } from "playwright-core";
import { type Address, parseUnits } from "viem";
import { openPage, type WebPage } from "./openPage";
import type { WebDemo } from "./startWebDemo";
import { applyState } from "./webStates";

/** A state of the checkout. */
export type CheckoutView = {
  /** Of its pictures. */
  name: string;
  /** The page shows it when the state is complete. */
  text: string | RegExp;
  /** The one button, which a phone shows without scrolling; undefined where there is none. */
  button?: string | RegExp;
  /** Whether the button can't be pressed in this state. */
  isBlocked?: boolean;
  /** Key of the demo's plan. Default: "reader". */
  plan?: string;
  /** Default: one who pays nothing in the plan's token and has enough of it. */
  account?: TestAccount;
  /** Default: a wallet with batches. "none": the browser has none. */
  wallet?: "none" | "paymasters";
  /** A phone has no mouse. Default: a computer. */
  isPhone?: boolean;
  /** Before the page is opened. */
  prepare?(own: WebPage): void | Promise<void>;
  /** From the opened page to the state. */
  act?(own: WebPage): Promise<void>;
};

const person = (index: number) => testAccount(ACCOUNT_INDEX.firstSubscriber + index);
/** Subscribers of the demo, who pay nothing in the plan's token unless it is noted. */
const people = {
  payer: person(58),
  withoutEther: person(30),
  withoutTokens: person(31),
  withOnePeriod: person(32),
  whoLeft: person(34),
  whoWaits: person(35),
  whoPays: person(36),
  withShortBalance: person(59),
  /** Pays the plan. */
  member: person(10),
  /** Pays the plan, and its allowance is used up. */
  lateMember: person(11),
};

/** Pays the first charge of the plan of 29 HUSD, but not the next one too. */
const ONE_PERIOD = parseUnits("30", 6);
const PLENTY = parseUnits("1000", 6);
const PAY = /^Pay .* and subscribe$/;
/** Named by the seller in `sponsoredView`. */
export const PAYMASTER = "https://paymaster.harbor.example/rpc";

/** Closes the demo's backlog, and gives its people the means that the states are about. */
export async function prepareCheckout({ devnet, caughtUp }: WebDemo): Promise<void> {
  const { client, contract, tokens, subscriptions } = devnet;
  const [token] = tokens;
  const id = subscriptions.reader;
  if (token === undefined || id === undefined) throw new Error("the demo has no token or no plan");
  const target = { client, contract, admin: testAccount(ACCOUNT_INDEX.admin).address };
  await settle(devnet);
  const give = (owner: Address, balance: bigint) => fund(target, token, owner, balance, 0n);
  for (const name of ["payer", "withoutEther", "whoWaits", "whoPays"] as const)
    await give(people[name].address, PLENTY);
  await give(people.withOnePeriod.address, ONE_PERIOD);
  await give(people.withShortBalance.address, 4n * ONE_PERIOD);
  await fund(target, token, people.whoLeft.address, PLENTY, PLENTY);
  await subscribe(target, people.whoLeft.address, id);
  await unsubscribe(target, people.whoLeft.address, id);
  await approve(target, token, people.lateMember.address, 1n);
  await client.setBalance({ address: people.withoutEther.address, value: 0n });
  await caughtUp();
}

/** The seller pays the network's fee. */
export const sponsoredView: CheckoutView = {
  name: "sponsored",
  wallet: "paymasters",
  text: "The seller pays the network's fee",
  button: PAY,
  prepare: nameThePaymaster,
  act: connect,
};

/** Every state of the checkout but for that of a late keeper, once `prepareCheckout` has run. */
export const checkoutViews: readonly CheckoutView[] = [
  { name: "open", text: "Today", button: "Choose a wallet" },
  { name: "choice", text: "Pay with", act: ({ page }) => press(page, "Choose a wallet") },
  {
    name: "no-wallet",
    wallet: "none",
    text: "This browser has no wallet",
    act: ({ page }) => press(page, "Choose a wallet"),
  },
  {
    name: "no-wallet-phone",
    wallet: "none",
    isPhone: true,
    text: "Open this page inside the app of your wallet",
    act: ({ page }) => press(page, "Choose a wallet"),
  },
  { name: "ready", text: "Change wallet", button: PAY, act: connect },
  {
    name: "no-ether",
    account: people.withoutEther,
    text: "too little ether for the network's fee",
    button: PAY,
    act: connect,
  },
  {
    name: "no-tokens",
    account: people.withoutTokens,
    text: "This wallet holds too little HUSD",
    button: PAY,
    isBlocked: true,
    act: connect,
  },
  {
    name: "next-fails",
    account: people.withOnePeriod,
    text: "The next charge will fail",
    button: PAY,
    act: connect,
  },
  {
    name: "short-balance",
    account: people.withShortBalance,
    text: "your balance ends first",
    button: PAY,
    act: connect,
  },
  { name: "again", account: people.whoLeft, text: "You had this plan before", button: PAY, act: connect },
  sponsoredView,
  { name: "member", account: people.member, text: "You already pay this plan", act: connect },
  { name: "member-fails", account: people.lateMember, text: "and the next charge will fail", act: connect },
  {
    name: "seller",
    account: testAccount(ACCOUNT_INDEX.firstProvider),
    text: "This is the seller's own wallet",
    button: PAY,
    isBlocked: true,
    act: connect,
  },
  { name: "ended", plan: "retired-tier", text: "This plan has ended" },
  { name: "paused", plan: "legacy-box", text: "This plan is paused" },
  {
    name: "wrong-network",
    text: "Your wallet is not on Devnet",
    button: "Switch to Devnet",
    prepare: ({ wallet }) => wallet.setChain(1),
    act: connect,
  },
  {
    name: "rejected",
    text: "Rejected in the wallet",
    button: PAY,
    async act(own) {
      await connect(own);
      own.wallet.rejectNext();
      await press(own.page, PAY);
    },
  },
  {
    name: "sent",
    account: people.whoWaits,
    text: "Sent. Waiting",
    button: PAY,
    isBlocked: true,
    prepare: ({ wallet }) => wallet.setPending(true),
    async act(own) {
      await connect(own);
      await press(own.page, PAY);
    },
  },
  {
    name: "done",
    account: people.whoPays,
    text: "12 charges",
    async act(own) {
      await connect(own);
      await press(own.page, PAY);
      await own.page.getByText("You are subscribed").waitFor();
    },
  },
  { name: "away", text: "The checkout can't be loaded now", prepare: ({ page }) => applyState(page, "error") },
  {
    name: "not-checked",
    account: people.withoutTokens,
    text: "Your wallet can't be checked now",
    async act(own) {
      await connect(own);
      await own.page.getByText("This wallet holds too little").waitFor();
      await applyState(own.page, "error");
      await press(own.page, "Check again");
    },
  },
  { name: "limited", text: "Too many requests", prepare: ({ page }) => applyState(page, "limited") },
  {
    name: "no-plan",
    plan: "none",
    text: "This plan does not exist",
  },
];

/** What is shown before a keeper has collected what is due: before `prepareCheckout`. */
export const lateView: CheckoutView = {
  name: "late",
  text: "Payments are collected late at the moment",
  button: "Choose a wallet",
};

/** Opens a new browser window in the state of a view. */
export async function openCheckout(browser: Browser, web: WebDemo, view: CheckoutView): Promise<WebPage> {
  const { plan = "reader", account = people.payer, wallet, text, button, isBlocked = false, isPhone = false } = view;
  const own = await openPage(browser, web, {
    account,
    isPhone,
    batches: true,
    paymasters: wallet === "paymasters",
    isAnnounced: wallet !== "none",
  });
  await view.prepare?.(own);
  await own.page.goto(`${web.url}/pay/${web.devnet.subscriptions[plan] ?? `0x${"77".repeat(32)}`}`);
  await view.act?.(own);
  await own.page.getByText(text).first().waitFor();
  if (button !== undefined) await own.page.getByRole("button", { name: button, disabled: isBlocked }).waitFor();
  return own;
}

async function connect({ page, wallet }: WebPage): Promise<void> {
  await press(page, "Choose a wallet");
  await press(page, wallet.name);
}

function press(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole("button", { name }).click();
}

/** As a seller does in PUT /portal/checkout. */
async function nameThePaymaster({ page }: WebPage): Promise<void> {
  await page.route(
    (url) => url.pathname.endsWith("/checkout"),
    async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), paymasterUrl: PAYMASTER } });
    },
  );
}
