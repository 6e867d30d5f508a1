import { Card } from "../../ui/Card";
import { Columns, Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";
import { useWasConnected } from "../../wallet/wasConnected";
import { ConnectToSubscribe } from "./ConnectToSubscribe";
import { DetailsCard } from "./DetailsCard";
import { ShareCard } from "./ShareCard";
import { TermsCard, type TermsCardProps } from "./TermsCard";

const MembershipCard = lazyWallet("your subscription", () =>
  import("./MembershipCard").then((module) => module.MembershipCard),
);

/** A subscription as everybody but its provider sees it: its terms, and whether the reader's wallet is subscribed to it. */
export function PublicOverview({ subscription, asOf }: TermsCardProps) {
  const wasConnected = useWasConnected();
  return (
    <Columns>
      <Stack>
        <TermsCard subscription={subscription} asOf={asOf} />
        <DetailsCard id={subscription.id} />
      </Stack>
      <Stack>
        {wasConnected ? (
          <MembershipCard subscription={subscription} />
        ) : (
          <Card title="Your subscription">
            <ConnectToSubscribe />
          </Card>
        )}
        {!subscription.cancelled && <ShareCard id={subscription.id} />}
      </Stack>
    </Columns>
  );
}
