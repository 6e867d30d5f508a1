import { useAccount, useSubscription } from "@dueday/sdk/react";
import type { Hex } from "viem";
import { moneyOf } from "../../checkout/sale/moneyOf";
import { periodOf } from "../../format/describeTerms";
import { usePlanNames } from "../../live/usePlanNames";
import { shorten } from "../../ui/shorten";
import { cleanText } from "../../ui/UntrustedText";
import type { Health } from "./health";

const MOST_PLANS = 200;
const NAME_CHARACTERS = 60;

/** The other plans of the same seller that the account could change to, with name and price, in the form of a query. */
export function useOtherPlans(id: Hex, { plans }: Pick<Health, "plans">) {
  const plan = useSubscription({ id });
  const provider = plan.data?.subscription.provider;
  const seller = useAccount(provider === undefined ? null : { address: provider, first: MOST_PLANS });
  const paid = new Set(plans.map((each) => each.id));
  const open = seller.data?.created
    .map(({ subscription }) => subscription)
    .filter((each) => !each.cancelled && each.id !== id && !paid.has(each.id));
  const names = usePlanNames(open?.map((each) => each.id) ?? []);
  const query = provider === undefined ? plan : seller;
  return {
    error: query.error,
    refetch: query.refetch,
    data: open?.map((subscription) => {
      const name = cleanText(names.get(subscription.id)?.planName ?? "", NAME_CHARACTERS);
      const price = `${moneyOf({ subscription }).money(subscription.amount)} each ${periodOf(subscription.frequency)}`;
      return { id: subscription.id, label: `${name || shorten(subscription.id)}, ${price}` };
    }),
  };
}
