import { Link } from "@tanstack/react-router";
import { PageHeader } from "../ui/PageHeader";

/** No page has this address. */
export function NotFound() {
  return (
    <PageHeader
      title="No such page"
      lead={
        <>
          The address may be mistyped. <Link to="/">Go to the start</Link>.
        </>
      }
    />
  );
}
