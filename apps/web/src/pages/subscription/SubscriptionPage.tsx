import { PageHeader } from "../../ui/PageHeader";

export function SubscriptionPage() {
  return <PageHeader title="Subscription" />;
}
