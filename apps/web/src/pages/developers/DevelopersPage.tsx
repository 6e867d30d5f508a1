import { PageHeader } from "../../ui/PageHeader";

export function DevelopersPage() {
  return <PageHeader title="Developers" />;
}
