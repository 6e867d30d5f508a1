import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";

const CreateCard = lazyWallet("the form", () => import("./CreateCard").then((module) => module.CreateCard));

/** Where a plan is created. */
export function SellPage() {
  return (
    <Stack>
      <PageHeader title="Sell a subscription" />
      <CreateCard />
    </Stack>
  );
}
