import { DuedayError } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { useState } from "react";
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

const SignIn = lazyWallet("the wallet", () => import("../../portal/SignIn").then((module) => module.SignIn));

/** The developer portal: signing in, keys, usage and webhooks of the account that signed in. */
export function DevelopersPage() {
  const portal = useDuedayQuery("getPortalSession", {});
  // Each session is identified by its expiry: the last one that was seen, and the one that the reader has ended.
  const [last, setLast] = useState<string | null>(null);
  const [left, setLeft] = useState<string | null>(null);
  const end = portal.data?.session?.expiresAt ?? null;
  if (end !== null && end !== last) setLast(end);
  const hasEnded = end === null && last !== null && last !== left;
  const isClosed = DuedayError.is(portal.error, "PORTAL_DISABLED");
  return (
    <Stack>
      <PageHeader
        title="Developers"
        lead="A developer key gives you higher limits and webhooks. Keys are free: sign in with a wallet to create one."
      />
      {isClosed ? (
        <Notice tone="neutral" title="The developer portal is switched off">
          {portal.error?.message}
        </Notice>
      ) : (
        <Answer query={portal} label="your session" lines={3}>
          {({ session }) =>
            session === null ? (
              <>
                {hasEnded && (
                  <Notice tone="warn" title="Your session has ended" urgent>
                    Sign in again to see your keys and webhooks.
                  </Notice>
                )}
                <Card title="Sign in" note="Your wallet signs a message. It sends no transaction and costs nothing.">
                  <SignIn />
                </Card>
              </>
            ) : (
              <>
                <SessionCard session={session} onSignOut={() => setLeft(session.expiresAt)} />
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
