import { useState } from "react";
import type { Address } from "viem";
import { AddressLabel } from "../ui/AddressLabel";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import classes from "./FilterCard.module.css";
import { FilterForm } from "./FilterForm";
import { entriesOf, type FilterProps, filterLists, filterNames, isFiltered, type PaymentFilter } from "./paymentFilter";

export type FilterCardProps = FilterProps & {
  /** The account of the page, which is always chosen. */
  account?: Address;
};

/** The accounts, providers and plans that a page is about, with a form to change them. */
export function FilterCard({ filter, onChange, account }: FilterCardProps) {
  const [isOpen, setOpen] = useState(false);
  const isOther = (each: string) => each.toLowerCase() !== account?.toLowerCase();
  const isChanged = isFiltered(
    account === undefined ? filter : { ...filter, account: entriesOf(filter.account).find(isOther) },
  );
  const choose = (next: PaymentFilter) => {
    setOpen(false);
    onChange(next);
  };
  return (
    <Card
      title="Payments of"
      aside={
        <>
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Choose
          </Button>
          {isChanged && (
            <Button onClick={() => choose({})}>{account === undefined ? "Show all" : "Only this account"}</Button>
          )}
        </>
      }
    >
      {isOpen ? <FilterForm filter={filter} onChange={choose} /> : <Chosen filter={filter} />}
    </Card>
  );
}

function Chosen({ filter }: { filter: PaymentFilter }) {
  if (!isFiltered(filter)) return <p>All accounts, providers and plans.</p>;
  return (
    <dl className={classes.lists}>
      {filterNames
        .filter((name) => filter[name] !== undefined)
        .map((name) => (
          <div key={name} className={classes.list}>
            <dt className={classes.title}>{filterLists[name].title}</dt>
            {entriesOf(filter[name]).map((entry) => (
              <dd key={entry}>
                <AddressLabel value={entry} kind={name === "subscription" ? "id" : "address"} />
              </dd>
            ))}
          </div>
        ))}
    </dl>
  );
}
