import { useAccountHealth } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { Address } from "viem";
import { countOf } from "../../format/describeDays";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amounts } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { DefinitionList } from "../../ui/DefinitionList";
import { FormField } from "../../ui/FormField";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import { UntrustedText } from "../../ui/UntrustedText";
import { lazyWallet } from "../../wallet/lazyWallet";
import { wasConnected } from "../../wallet/wasConnected";
import { type Health, USUAL_DAYS } from "./health";
import classes from "./My.module.css";
import type { RepairButtonProps } from "./RepairButton";
import type { SignedRenewalsProps } from "./SignedRenewals";

const DAY_SECONDS = 86_400;
const NAME_CHARACTERS = 60;
const WINDOWS = [
  [USUAL_DAYS, "35 days"],
  [92, "3 months"],
  [366, "a year"],
] as const;

const RepairButton = lazyWallet<RepairButtonProps>(
  "your wallet",
  () => import("./RepairButton").then((module) => module.RepairButton),
  () => <Button disabled>Repair all</Button>,
);

const SignedRenewals = lazyWallet<SignedRenewalsProps>(
  "your wallet",
  () => import("./SignedRenewals").then((module) => module.SignedRenewals),
  // Nothing is shown without a wallet, nor where no renewal is needed.
  ({ health }) =>
    wasConnected() && health.repair.approve.length > 0 ? (
      <Button disabled>Renew by signature, without ether</Button>
    ) : null,
);

/** Which coming charges of an account will fail, and one button that repairs all that an approval can repair. */
export function RepairCard({ address }: { address: Address }) {
  const [days, setDays] = useState<number>(USUAL_DAYS);
  const query = useAccountHealth({ address, days });
  return (
    <Card
      title="Coming charges"
      aside={
        <FormField label="Look ahead">
          {(input) => (
            <select {...input} value={days} onChange={({ target }) => setDays(Number(target.value))}>
              {WINDOWS.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </FormField>
      }
      footer={query.data && <SourceLink asOf={query.data.asOf} />}
    >
      <Answer query={query} label="coming charges" lines={5}>
        {(health) => <Outlook health={health} />}
      </Answer>
    </Card>
  );
}

function Outlook({ health }: { health: Health }) {
  const { account, days, failures, plans, tokens, repair } = health;
  // The button's part stays when nothing is left to repair: it shows the result.
  const wasNeeded = useRef(false);
  if (repair.approve.length > 0) wasNeeded.current = true;
  // The first failure of a plan ends it, so none of its later charges comes.
  const failing = new Set(failures.map(({ id }) => id)).size;
  return (
    <Stack>
      {failing === 0 ? (
        <Notice
          tone="good"
          title={
            plans.every(({ hindrance }) => hindrance === null)
              ? `Every charge of the next ${days} days passes`
              : `No charge of the next ${days} days fails; plans that are not charged are named below`
          }
        />
      ) : (
        <Notice
          tone="bad"
          title={failing === 1 ? "A charge will fail" : `${countOf(failing, "charge")} will fail`}
          urgent
        >
          <p>A charge that fails ends the subscription.</p>
          <Failures health={health} />
        </Notice>
      )}
      <DefinitionList
        items={[
          ["Due in this time", <Amounts amounts={tokens.map((each) => ({ ...each, amount: each.due }))} />],
          ["To approve", repair.approve.length === 0 ? null : <Amounts amounts={repair.approve} />],
          ["To add to the wallet", repair.topUp.length === 0 ? null : <TopUp health={health} />],
        ]}
      />
      {wasNeeded.current && <RepairButton account={account} days={days} approve={repair.approve} />}
      <SignedRenewals health={health} />
    </Stack>
  );
}

/** At most this number of failing plans is listed here; the table below has all of them. */
const LISTED = 3;

/** The plans with a charge that will fail, each with its first failing charge. */
function Failures({ health: { failures, plans } }: { health: Health }) {
  const first = [...new Map(failures.toReversed().map((failure) => [failure.id, failure])).values()].toReversed();
  const plansById = new Map(plans.map((plan) => [plan.id, plan]));
  return (
    <ul className={classes.failures}>
      {first.slice(0, LISTED).map(({ id, date, cause }) => (
        <li key={id}>
          {date !== null && `${formatDate(date)}: `}
          <Link to="/subscriptions/$id" params={{ id }}>
            <UntrustedText text={plansById.get(id)?.name ?? ""} most={NAME_CHARACTERS} empty={id} />
          </Link>
          , {cause === "allowance" ? "approval" : "balance"} too low
        </li>
      ))}
      {first.length > LISTED && <li>and {countOf(first.length - LISTED, "more plan")}</li>}
    </ul>
  );
}

/** Tokens that have to be sent to the account, and until when: an approval does not add to its balance. */
function TopUp({ health: { account, failures, repair, asOf } }: { health: Health }) {
  const first = failures.find(({ cause }) => cause === "balance")?.date ?? null;
  const today = dateOfDay(Math.floor(asOf.blockTimestamp / DAY_SECONDS));
  return (
    <div className={classes.topUp}>
      <Amounts amounts={repair.topUp} />
      <span>
        to <AddressLabel value={account} kind="address" />
        {first !== null && (first <= today ? " now" : ` before ${formatDate(first)}`)}
      </span>
    </div>
  );
}
