import { PageHeader } from "../../ui/PageHeader";

export function KeepersPage() {
  return <PageHeader title="Keepers" />;
}
