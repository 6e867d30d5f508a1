import type { Operations } from "@dueday/sdk";
import { formatInstant } from "../../format/formatDate";
import { usePortalAction } from "../../portal/usePortalAction";
import { ErrorState } from "../../states/ErrorState";
import { AddressLabel } from "../../ui/AddressLabel";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import classes from "./Developers.module.css";

type Session = NonNullable<Operations["getPortalSession"]["output"]["session"]>;

/** Who is signed in, until when, and signing out. `onSignOut` is called when the reader asks for it. */
export function SessionCard({ session, onSignOut }: { session: Session; onSignOut(): void }) {
  const end = usePortalAction("endPortalSession", "getPortalSession");
  const signOut = (input: { everywhere?: boolean }) => {
    onSignOut();
    end.mutate(input);
  };
  return (
    <Card
      title="Your account"
      note={`Signed in until ${formatInstant(session.expiresAt)}. Until then this browser has the limits of a developer.`}
    >
      <div className={classes.parts}>
        <AddressLabel kind="address" value={session.address} whole />
        <div className={classes.actions}>
          <Button disabled={end.isPending} onClick={() => signOut({})}>
            Sign out
          </Button>
          <Button kind="plain" disabled={end.isPending} onClick={() => signOut({ everywhere: true })}>
            Sign out in all browsers
          </Button>
        </div>
        {end.error !== null && <ErrorState error={end.error} title="Not signed out" />}
      </div>
    </Card>
  );
}
