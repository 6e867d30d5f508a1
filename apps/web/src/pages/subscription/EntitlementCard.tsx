import { useEntitlement } from "@dueday/sdk/react";
import { useState } from "react";
import type { Address, Hex } from "viem";
import { Answer } from "../../states/Answer";
import { AddressLookup } from "../../ui/AddressLookup";
import { Card } from "../../ui/Card";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import { Entitlement } from "./Entitlement";

/** Whether an account may use a subscription: what a merchant's backend asks at each login. */
export function EntitlementCard({ id }: { id: Hex }) {
  const [account, setAccount] = useState<Address | null>(null);
  const query = useEntitlement(account === null ? null : { id, account });
  return (
    <Card
      title="Entitlement"
      note="Whether an account may use the subscription, and until when it has paid."
      footer={query.data && <SourceLink asOf={query.data.asOf} />}
    >
      <Stack>
        <AddressLookup label="Address of an account" action="Check" onOpen={setAccount} />
        {account !== null && (
          <Answer query={query} label="its entitlement">
            {(entitlement) => <Entitlement entitlement={entitlement} />}
          </Answer>
        )}
      </Stack>
    </Card>
  );
}
