import { Link } from "@tanstack/react-router";
import { LinkRun } from "./LinkRun";
import classes from "./Tabs.module.css";

export type TabsProps<T extends string> = {
  /** Names the list of tabs for screen readers. */
  label: string;
  /** The first one is shown where the address names none. */
  tabs: readonly (readonly [key: T, name: string])[];
  current: T;
};

/** The parts of a page, each with its own address (`?tab=`), so that each can be linked to, and loads only what it shows. */
export function Tabs<T extends string>({ label, tabs, current }: TabsProps<T>) {
  return (
    <LinkRun label={label} current={current} className={classes.tabs}>
      {tabs.map(([key, name], index) => (
        <li key={key}>
          <Link
            to="."
            search={(before) => ({ ...before, tab: index === 0 ? undefined : key })}
            resetScroll={false}
            // Without these options the first tab's link, whose search is empty, is always marked as current.
            activeOptions={{ exact: true, explicitUndefined: true }}
            className={key === current ? `${classes.tab} ${classes.current}` : classes.tab}
            aria-current={key === current ? "page" : undefined}
          >
            {name}
          </Link>
        </li>
      ))}
    </LinkRun>
  );
}

/** The tab that an address names, or the first one. */
export function readTab<T extends string>(
  tabs: readonly (readonly [key: T, name: string])[],
  tab: string | undefined,
): T {
  const [first] = tabs;
  if (first === undefined) throw new RangeError("tabs need at least one entry");
  return (tabs.find(([key]) => key === tab) ?? first)[0];
}

/** How the title of the browser's tab names a part of the page; undefined for the first part, which has the title of the page. */
export function tabTitle<T extends string>(tabs: TabsProps<T>["tabs"], current: T): string | undefined {
  return tabs.slice(1).find(([key]) => key === current)?.[1];
}
