import { Link, useNavigate } from "@tanstack/react-router";
import { AddressLookup } from "../../ui/AddressLookup";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { Columns, Stack } from "../../ui/Stack";
import { LazyOwnPageLink } from "../../wallet/LazyOwnPageLink";

/** Opens the page of a provider by its address. */
export function ProvidersPage() {
  const navigate = useNavigate();
  return (
    <Stack>
      <PageHeader title="Provider" lead="What an account earns, who pays it, and whose next payment will fail." />
      <Columns>
        <Card title="Your income">
          <Stack>
            <LazyOwnPageLink to="/providers/$address">What I earn:</LazyOwnPageLink>
            <Link to="/sell">Sell a subscription</Link>
          </Stack>
        </Card>
        <Card title="Any provider">
          <AddressLookup
            label="Address of a provider"
            onOpen={(address) => void navigate({ to: "/providers/$address", params: { address } })}
          />
        </Card>
      </Columns>
    </Stack>
  );
}
