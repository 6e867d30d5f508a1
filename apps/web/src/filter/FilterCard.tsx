import { useState } from "react";
import { AddressLabel } from "../ui/AddressLabel";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import classes from "./FilterCard.module.css";
import { FilterForm } from "./FilterForm";
import { entriesOf, type FilterProps, filterLists, filterNames, isFiltered, type PaymentFilter } from "./paymentFilter";

/** The accounts, providers and plans that a page is about, with a form to change them. */
export function FilterCard({ filter, onChange }: FilterProps) {
  const [isOpen, setOpen] = useState(false);
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
          {isFiltered(filter) && <Button onClick={() => choose({})}>Show all</Button>}
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
