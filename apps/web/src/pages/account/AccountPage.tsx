import { PageHeader } from "../../ui/PageHeader";

export function AccountPage() {
  return <PageHeader title="Account" />;
}
