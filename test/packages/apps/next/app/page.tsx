import { createDueday } from "@dueday/sdk";
// From a component of the server: `@dueday/sdk/react` marks the boundary itself.
import { DuedayProvider } from "@dueday/sdk/react";
import { SubscribeButton } from "./subscribeButton";

export const dynamic = "force-dynamic";

export default async function Page() {
  const dueday = createDueday({ baseUrl: process.env.DUEDAY_URL ?? "" });
  const { subscriptions: plans } = await dueday.searchSubscriptions({ cancelled: false, first: 5 });
  return (
    <main data-boundary={typeof DuedayProvider}>
      <h1>{plans.length} plans are open</h1>
      {plans.map(({ id, amount, tokenSymbol }) => (
        <p key={id}>
          {amount} {tokenSymbol} <SubscribeButton id={id} />
        </p>
      ))}
    </main>
  );
}
