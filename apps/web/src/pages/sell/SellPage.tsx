import { Loading } from "../../states/Loading";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";

/** About as high as the form. */
const FORM_LINES = 20;

const PlanForm = lazyWallet(
  "the form",
  () => import("./PlanForm").then((module) => module.PlanForm),
  () => <Loading label="the form" lines={FORM_LINES} />,
);

// It is the page: its code is loaded together with what surrounds it.
void PlanForm.preload();

/** Where a plan is created. It can be filled in without a wallet; the button connects one. */
export function SellPage() {
  return (
    <Stack>
      <PageHeader
        title="Sell a subscription"
        lead="Name a plan and its price, and create it with one transaction. Then share its checkout, or put its button on your site."
      />
      <PlanForm />
    </Stack>
  );
}
