import type { Address } from "viem";
import { FilterCard } from "../../filter/FilterCard";
import { entriesOf } from "../../filter/paymentFilter";
import { useFilter } from "../../filter/useFilter";
import { ComingCard } from "../../lists/ComingCard";

/** What an account has to pay next: alone or together with other accounts, and if wanted only to some providers or for some plans. */
export function ComingPart({ address }: { address: Address }) {
  const { filter, onChange } = useFilter();
  const together = { ...filter, account: entriesOf(`${address},${filter.account ?? ""}`).join(",") };
  return (
    <>
      <FilterCard filter={together} onChange={onChange} account={address} />
      <ComingCard filter={together} />
    </>
  );
}
