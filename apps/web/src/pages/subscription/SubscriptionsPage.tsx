import { PageHeader } from "../../ui/PageHeader";

export function SubscriptionsPage() {
  return <PageHeader title="Subscriptions" />;
}
