import { PageHeader } from "../../ui/PageHeader";

export function ProviderPage() {
  return <PageHeader title="Provider" />;
}
