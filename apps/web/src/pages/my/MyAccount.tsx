import { useAccountHealth } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Address } from "viem";
import { useInstallation } from "../../config/ChainContext";
import { LabelButton } from "../../labels/LabelButton";
import { Answer } from "../../states/Answer";
import { AddressLabel } from "../../ui/AddressLabel";
import { PageHeader } from "../../ui/PageHeader";
import { Stack } from "../../ui/Stack";
import { lazyWallet } from "../../wallet/lazyWallet";
import type { CancelCardProps } from "./CancelCard";
import type { ChangeCardProps } from "./ChangeCard";
import { type PaidPlan, USUAL_DAYS } from "./health";
import { MailboxCard } from "./MailboxCard";
import { PlansCard } from "./PlansCard";
import { RepairCard } from "./RepairCard";

const CancelCard = lazyWallet<CancelCardProps>("your wallet", () =>
  import("./CancelCard").then((module) => module.CancelCard),
);

const ChangeCard = lazyWallet<ChangeCardProps>("your wallet", () =>
  import("./ChangeCard").then((module) => module.ChangeCard),
);

/** About a window's height, so that what follows does not move after it has come into view. */
const WINDOW_LINES = 30;

/** What an account pays, which of its charges will fail, and what it can do about them. */
export function MyAccount({ address }: { address: Address }) {
  const { chainId } = useInstallation().chain;
  const [chosen, setChosen] = useState<{ plan: PaidPlan; to: "leave" | "change" } | null>(null);
  const close = () => setChosen(null);
  const query = useAccountHealth({ address, days: USUAL_DAYS });
  return (
    <Stack>
      <PageHeader
        title="What I pay"
        lead={<AddressLabel value={address} kind="address" />}
        aside={
          <>
            <LabelButton address={address} />
            <a href={`/accounts/${address}/charges.ics?chainId=${chainId}`} download="dueday.ics">
              Calendar file
            </a>
            <Link to="/accounts/$address" params={{ address }}>
              Payments until now
            </Link>
          </>
        }
      />
      <Answer query={query} label="what the account pays" lines={WINDOW_LINES}>
        {(health) => (
          <>
            {health.plans.length > 0 && <RepairCard address={address} />}
            {chosen?.to === "leave" && (
              <CancelCard key={chosen.plan.id} plan={chosen.plan} health={health} onClose={close} />
            )}
            {chosen?.to === "change" && (
              <ChangeCard key={chosen.plan.id} plan={chosen.plan} health={health} onClose={close} />
            )}
            <PlansCard
              health={health}
              onLeave={(plan) => setChosen({ plan, to: "leave" })}
              onChange={(plan) => setChosen({ plan, to: "change" })}
            />
          </>
        )}
      </Answer>
      <MailboxCard address={address} />
    </Stack>
  );
}
