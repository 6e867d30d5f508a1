import { DuedayError } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";
import { KeysCard } from "./KeysCard";
import { QuickStartCard } from "./QuickStartCard";
import { SessionCard } from "./SessionCard";
import { UsageCard } from "./UsageCard";
import { WebhooksCard } from "./WebhooksCard";

const SignIn = lazyWallet("the wallet", () => import("./SignIn").then((module) => module.SignIn));

/** The developer portal: signing in, keys, usage and webhooks of the account that signed in. */
export function DevelopersPage() {
  const portal = useDuedayQuery("getPortalSession", {});
  const isClosed = DuedayError.is(portal.error, "PORTAL_DISABLED");
  return (
    <Stack>
      <PageHeader
        title="Developers"
        lead="Requests with a developer key have higher limits, and webhooks. Keys are free: sign in with a wallet to create one."
      />
      {isClosed ? (
        <Notice tone="neutral" title="The developer portal is switched off">
          {portal.error?.message}
        </Notice>
      ) : (
        <Answer query={portal} label="your session" lines={3}>
          {({ session }) =>
            session === null ? (
              <Card title="Sign in" note="Your wallet signs a message. It sends no transaction and costs nothing.">
                <SignIn />
              </Card>
            ) : (
              <>
                <SessionCard session={session} />
                <KeysCard />
                <UsageCard />
                <WebhooksCard />
              </>
            )
          }
        </Answer>
      )}
      <QuickStartCard />
    </Stack>
  );
}
