import type { Page } from "playwright-core";
import type { Receiver } from "./startReceiver";

/** Signs in on the Developers page, creates a key and a webhook to `receiver`, and waits until a test is delivered to it. */
export async function signInAndPrepare(page: Page, receiver: Receiver): Promise<void> {
  const press = (name: string | RegExp) => page.getByRole("button", { name }).click();
  await press(/^Sign in as/);
  await page.getByLabel("Name of a new key").fill("keeper in Frankfurt");
  await press("Create key");
  await press("I have stored it");
  await page.getByLabel("URL of a new webhook").fill(receiver.url);
  await press("Add webhook");
  receiver.secret = await page.getByRole("region", { name: "the secret" }).textContent();
  await press("I have stored it");
  await press("Send the challenge");
  await press("Send a test");
  await page.getByRole("table").getByRole("row").filter({ hasText: "webhook.test" }).getByText("delivered").waitFor();
}
