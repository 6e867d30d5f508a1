import type { Operations } from "@dueday/sdk";
import { formatDate } from "../../format/formatDate";
import { formatNextDue } from "../../format/formatNextDue";
import { Badge, type Tone } from "../../ui/Badge";
import { formatRunway } from "../../ui/CoverageBadge";
import { DefinitionList } from "../../ui/DefinitionList";

type Answered = Operations["getEntitlement"]["output"];

const states: Readonly<Record<Answered["state"], readonly [word: string, tone: Tone, meaning: string]>> = {
  active: ["active", "good", "Every charge until now has succeeded."],
  past_due: ["past due", "warn", "A charge is due that no keeper has tried yet; that is not the subscriber's fault."],
  failed: ["failed", "bad", "A charge failed, which ended the subscription."],
  removed: ["removed", "bad", "The provider has removed this subscriber."],
  unsubscribed: ["unsubscribed", "neutral", "The subscriber has left."],
  cancelled: ["cancelled", "bad", "The provider has cancelled the subscription."],
  never: ["not subscribed", "neutral", "This account has never subscribed."],
};

/** Whether an account may use what it subscribed to, until when, and why not. */
export function Entitlement({ entitlement }: { entitlement: Answered }) {
  const { asOf, entitled, state, paidThroughDate, nextDueDate, lastPaymentAt, coveredPayments } = entitlement;
  const [word, tone, meaning] = states[state];
  const dates = (date: string | null) => (date === null ? null : formatDate(date.slice(0, 10)));
  return (
    <>
      <p>
        <Badge tone={tone}>{word}</Badge> {meaning}
      </p>
      {state !== "never" && (
        <DefinitionList
          items={[
            ["May use it", entitled ? "yes" : "no"],
            ["Paid through", dates(paidThroughDate)],
            ["Next payment", nextDueDate === null ? null : formatNextDue(nextDueDate, asOf)],
            ["Last payment", dates(lastPaymentAt)],
            ["Payments covered", nextDueDate === null ? null : formatRunway(coveredPayments)],
          ]}
        />
      )}
    </>
  );
}
