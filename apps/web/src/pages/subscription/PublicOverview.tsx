import { Columns, Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";
import { DetailsCard } from "./DetailsCard";
import { ShareCard } from "./ShareCard";
import { TermsCard, type TermsCardProps } from "./TermsCard";

const MembershipCard = lazyWallet("your subscription", () =>
  import("./MembershipCard").then((module) => module.MembershipCard),
);

/** A subscription as everybody but its provider sees it: its terms, and what the reader's wallet has to do with it. */
export function PublicOverview({ subscription, asOf }: TermsCardProps) {
  return (
    <Columns>
      <Stack>
        <TermsCard subscription={subscription} asOf={asOf} />
        <DetailsCard id={subscription.id} />
      </Stack>
      <Stack>
        <MembershipCard subscription={subscription} />
        {!subscription.cancelled && <ShareCard id={subscription.id} />}
      </Stack>
    </Columns>
  );
}
