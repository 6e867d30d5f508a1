import { useNavigate } from "@tanstack/react-router";
import { AddressLookup } from "../../ui/AddressLookup";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { Columns, Stack } from "../../ui/Stack";
import { LazyOwnPageLink } from "../../wallet/LazyOwnPageLink";

/** Opens the page of an account by its address. */
export function AccountsPage() {
  const navigate = useNavigate();
  return (
    <Stack>
      <PageHeader title="Account" lead="What an account pays and when, what will fail and why." />
      <Columns>
        <Card title="Your account">
          <LazyOwnPageLink to="/accounts/$address">What I pay:</LazyOwnPageLink>
        </Card>
        <Card title="Any account">
          <AddressLookup
            label="Address of a subscriber"
            onOpen={(address) => void navigate({ to: "/accounts/$address", params: { address } })}
          />
        </Card>
      </Columns>
    </Stack>
  );
}
