import { useDuedayQuery } from "@dueday/sdk/react";
import { useState } from "react";
import type { Address } from "viem";
import { type Group, MoneyCard } from "../../lists/MoneyCard";

/** What an account has paid, by period and token. */
export function SpendingCard({ address }: { address: Address }) {
  const [group, setGroup] = useState<Group>("month");
  const query = useDuedayQuery("getAccountSpending", { address, group });
  return (
    <MoneyCard
      title="Spending"
      query={query}
      group={group}
      side="paid"
      onGroup={setGroup}
      empty="Choose longer periods to see more."
    />
  );
}
