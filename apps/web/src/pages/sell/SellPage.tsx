import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { WalletArea } from "../../wallet/WalletArea";
import { PlanForm } from "./PlanForm";

/** Where a plan is created. It can be filled in without a wallet; the button connects one. */
export function SellPage() {
  return (
    <Stack>
      <PageHeader
        title="Sell a subscription"
        lead="Name a plan and its price, and create it with one transaction. Then share its checkout, or put its button on your site."
      />
      <WalletArea>
        <PlanForm />
      </WalletArea>
    </Stack>
  );
}
