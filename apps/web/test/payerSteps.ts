import { failingPayers } from "@dueday/devnet/scenarios/demoPlans";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Page } from "playwright-core";

/** A payer of the demo whose approval is too low, at a seller with several plans. */
export const payer = testAccount(ACCOUNT_INDEX.firstSubscriber + failingPayers.allowance[2].subscriber);

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();

type PayerStep = (page: Page, urls: { app: string; inbox: string }) => Promise<void>;

/** What a payer does on the page of what it pays, one step after another: the name of the picture after each, and the step. */
export const payerSteps: readonly (readonly [file: string, step: PayerStep])[] = [
  ["my/own", (page) => page.getByRole("button", { name: "Renew by signature, without ether" }).first().waitFor()],
  [
    "my/signed",
    async (page) => {
      await press(page, "Renew by signature, without ether");
      await page.getByText("waits to be submitted").waitFor();
    },
  ],
  [
    "my/mailbox",
    async (page) => {
      await press(page, /^Sign in as/);
      await page.getByLabel("Mailbox").waitFor();
    },
  ],
  [
    "my/waiting",
    async (page) => {
      await page.getByLabel("Mailbox").fill("person@example.org");
      await press(page, "Remind me");
      await page.getByText("Waiting for your confirmation").waitFor();
    },
  ],
  [
    "my/change",
    async (page) => {
      await press(page, /^Change /);
      await page.getByLabel("Change to").selectOption({ index: 1 });
      await page.getByText("Charged now", { exact: true }).waitFor();
    },
  ],
  [
    "my/cancel",
    async (page) => {
      await press(page, "Close");
      await press(page, /^Cancel /);
      await page.getByText("Paid until").waitFor();
    },
  ],
  [
    "my/confirm",
    async (page, { inbox }) => {
      const mail = /Confirm your mailbox/;
      await waitUntil("the confirmation", async () => mail.test(await (await fetch(inbox)).text()));
      await page.goto(inbox);
      await page.getByRole("link", { name: mail }).first().click();
      await page.getByRole("link", { name: "Confirm the mailbox" }).click();
      await page.getByRole("button", { name: "Confirm the mailbox" }).waitFor();
    },
  ],
  [
    "my/confirmed",
    async (page, { app }) => {
      await press(page, "Confirm the mailbox");
      await page.getByText("The mailbox is confirmed").waitFor();
      await page.goto(`${app}/my`);
      await page.getByText("Confirmed: reminders go to").waitFor();
    },
  ],
];
