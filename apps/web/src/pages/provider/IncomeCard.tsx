import { useDuedayQuery } from "@dueday/sdk/react";
import { useState } from "react";
import type { Address } from "viem";
import { type Group, MoneyCard } from "../../lists/MoneyCard";

/** What a provider has received, by period and token. */
export function IncomeCard({ address }: { address: Address }) {
  const [group, setGroup] = useState<Group>("month");
  const query = useDuedayQuery("getProviderIncome", { address, group });
  return (
    <MoneyCard
      title="Income"
      note="Part of a payment, or all of it, can fill the subscriber's fee balance, from which keepers are paid. Only the rest is income."
      query={query}
      group={group}
      side="received"
      onGroup={setGroup}
      empty="Choose longer periods to see more."
    />
  );
}
