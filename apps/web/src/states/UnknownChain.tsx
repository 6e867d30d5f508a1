import { Link } from "@tanstack/react-router";
import type { AppConfig } from "../config/appConfig";
import { Card } from "../ui/Card";
import { PageHeader } from "../ui/PageHeader";
import { Stack } from "../ui/Stack";
import classes from "./UnknownChain.module.css";

/** Shown where the address names a chain that this service does not serve. It lists the served chains, each with a link to the same page there. */
export function UnknownChain({ wanted, config }: { wanted: number; config: AppConfig }) {
  return (
    <main className={classes.page}>
      <Stack>
        <PageHeader title={`Chain ${wanted} is not served here`} lead="The address of this page names another chain." />
        <Card title="Chains of this service">
          <ul>
            {config.chains.map(({ chainId, name }) => (
              <li key={chainId}>
                <Link to="." search={{ chainId: chainId === config.defaultChainId ? undefined : chainId }}>
                  {name}
                </Link>{" "}
                ({chainId})
              </li>
            ))}
          </ul>
        </Card>
      </Stack>
    </main>
  );
}
