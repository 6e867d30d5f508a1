import { DuedayError } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { useInstallation } from "../../config/ChainContext";
import { Answer } from "../../states/Answer";
import { Notice } from "../../states/Notice";
import { Card } from "../../ui/Card";
import { ShortHex } from "../../ui/ShortHex";
import { Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";
import { MailboxForm } from "./MailboxForm";

const SignIn = lazyWallet("your wallet", () => import("../../portal/SignIn").then((module) => module.SignIn));

/** Reminders by e-mail: where the service sends them, and their state. Without a session it offers to sign in. */
export function MailboxCard({ address }: { address: string }) {
  const { config } = useInstallation();
  return (
    <Card
      title="Reminders by e-mail"
      note="Before a charge fails, when a plan has ended, and for other events that you choose."
    >
      {config.reminders ? (
        <Session address={address} />
      ) : (
        <Notice tone="neutral" title="Off: this service sends no mails">
          Its operator has not set a mail server. The calendar file of this page has the coming charges.
        </Notice>
      )}
    </Card>
  );
}

function Session({ address }: { address: string }) {
  const portal = useDuedayQuery("getPortalSession", {});
  if (DuedayError.is(portal.error, "PORTAL_DISABLED")) {
    return (
      <Notice tone="neutral" title="Off: signing in is switched off">
        The operator of this service has switched its portal off, so no mailbox can be stored.
      </Notice>
    );
  }
  return (
    <Answer query={portal} label="your session" lines={3}>
      {({ session }) =>
        session?.address.toLowerCase() === address.toLowerCase() ? (
          <MailboxForm />
        ) : (
          <Stack>
            <p>
              Sign in with the wallet of <ShortHex value={address} /> to enter a mailbox. Only that wallet can do so: it
              signs a message, which costs nothing.
            </p>
            <SignIn />
          </Stack>
        )
      }
    </Answer>
  );
}
