import { PageHeader } from "../../ui/PageHeader";

export function CalendarPage() {
  return <PageHeader title="Calendar" />;
}
