import type { ReactNode } from "react";
import classes from "./DefinitionList.module.css";

/** Names and values, one pair a line. A pair whose value is null is left out. */
export function DefinitionList({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.list}>
      {items.map(([name, value]) =>
        value === null ? null : (
          <div key={name} className={classes.item}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
