import { Link, useRouterState } from "@tanstack/react-router";
import { LinkRun } from "../ui/LinkRun";
import classes from "./Navigation.module.css";

/** The pages that have a fixed address, except `/sell`. That page, and those of one subscription, account or provider, are reached by links. */
const pages = [
  ["/", "Home"],
  ["/my", "What I pay"],
  ["/calendar", "Calendar"],
  ["/subscriptions", "Subscriptions"],
  ["/accounts", "Account"],
  ["/providers", "Provider"],
  ["/keepers", "Keepers"],
  ["/developers", "Developers"],
  ["/status", "Status"],
] as const;

export function Navigation() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <LinkRun label="Pages" current={path}>
      {pages.map(([to, name]) => (
        <li key={to}>
          <Link
            to={to}
            className={classes.link}
            activeOptions={{ exact: to === "/", includeSearch: false }}
            activeProps={{ className: `${classes.link} ${classes.active}`, "aria-current": "page" }}
          >
            {name}
          </Link>
        </li>
      ))}
    </LinkRun>
  );
}
