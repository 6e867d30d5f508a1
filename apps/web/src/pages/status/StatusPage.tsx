import { PageHeader } from "../../ui/PageHeader";

export function StatusPage() {
  return <PageHeader title="Status" />;
}
