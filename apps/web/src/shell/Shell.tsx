import { useReadiness } from "@dueday/sdk/react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { LabelButton } from "../labels/LabelButton";
import { WalletSlot } from "../wallet/WalletSlot";
import { ChainSwitch } from "./ChainSwitch";
import { FreshnessBadge } from "./FreshnessBadge";
import { Navigation } from "./Navigation";
import classes from "./Shell.module.css";
import { StaleNotice } from "./StaleNotice";
import { ThemeSwitch } from "./ThemeSwitch";

/** Interval of the check that the service still follows the chain, while the tab is visible. An unchanged answer has no body, so a check is cheap. */
const CHECK_MS = 120_000;

/** The header, navigation and footer around each page. */
export function Shell() {
  useReadiness({}, { refetchInterval: CHECK_MS });
  const main = useFocusOnNavigation();
  return (
    <div className={classes.shell}>
      <a href="#content" className={classes.skip}>
        Skip to the content
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link to="/" className={classes.brand} aria-label="Dueday, start">
            <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" className={classes.mark}>
              <rect width="32" height="32" rx="8" />
              <path d="M10 8h6a8 8 0 0 1 0 16h-6z" />
            </svg>
            Dueday
          </Link>
          <FreshnessBadge />
          <div className={classes.tools}>
            <ChainSwitch />
            <ThemeSwitch />
            <WalletSlot />
          </div>
        </div>
        <div className={classes.pages}>
          <Navigation />
        </div>
      </header>
      <main id="content" ref={main} tabIndex={-1} className={classes.main}>
        <StaleNotice />
        <Outlet />
      </main>
      <footer className={classes.footer}>
        <p>Dates are days in UTC. This service never signs or sends transactions, and holds no keys.</p>
        <LabelButton />
        <p>
          <a href="/docs">API reference</a> · <a href="/llms.txt">For agents</a>
        </p>
      </footer>
    </div>
  );
}

/** Moves the focus to a page when it is opened from another one, as a browser does when it loads a page. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}
