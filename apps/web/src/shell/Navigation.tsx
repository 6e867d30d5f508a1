import { Link, useRouterState } from "@tanstack/react-router";
import { useRef } from "react";
import { useCurrentInView } from "../ui/useCurrentInView";
import classes from "./Navigation.module.css";

/** The pages that have a fixed address. A subscription or an account is reached from where it is named. */
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
  const navigation = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useCurrentInView(navigation, path);
  return (
    <nav ref={navigation} aria-label="Pages" className={classes.navigation}>
      <ul className={classes.list}>
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
      </ul>
    </nav>
  );
}
