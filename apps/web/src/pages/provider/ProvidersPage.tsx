import { PageHeader } from "../../ui/PageHeader";

export function ProvidersPage() {
  return <PageHeader title="Provider" />;
}
