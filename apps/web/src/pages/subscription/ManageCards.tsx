import { useConnection } from "wagmi";
import { CancelCard } from "./CancelCard";
import { EditDetailsCard } from "./EditDetailsCard";
import type { OfSubscription } from "./ofSubscription";

/** What the provider of a subscription can do with it; nothing for anybody else. */
export function ManageCards({ subscription }: OfSubscription) {
  const { address } = useConnection();
  if (address !== subscription.provider) return null;
  return (
    <>
      <EditDetailsCard subscription={subscription} />
      <CancelCard subscription={subscription} />
    </>
  );
}
