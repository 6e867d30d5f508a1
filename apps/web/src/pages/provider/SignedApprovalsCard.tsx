import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Address } from "viem";
import { formatTime } from "../../format/formatDate";
import { ListTable } from "../../lists/ListTable";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { amountColumn } from "../../tables/termColumns";
import { Card } from "../../ui/Card";
import { ShortHex } from "../../ui/ShortHex";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import { shorten } from "../../ui/shorten";
import { ActionStatus } from "../../wallet/ActionStatus";
import { loadActions } from "../../wallet/loadActions";
import { SignButton } from "../../wallet/SignButton";
import { useWalletAction } from "../../wallet/useWalletAction";

type Answered = Operations["listAccountPermits"]["output"];
type Permit = Answered["permits"][number];

export type SignedApprovalsCardProps = { provider: Address; answer: Answered };

/**
 * Approvals that subscribers without ether have signed. The account that submits one pays its gas. Payments that the approval covers then no
 * longer fail because of the allowance.
 */
export function SignedApprovalsCard({ provider, answer }: SignedApprovalsCardProps) {
  const { permits, count, hasMore, asOf } = answer;
  const { dueday, contract } = useDueday();
  const { run, progress, isBusy } = useWalletAction();
  const submit = (permit: Permit) =>
    void run({
      sign: async (_actions, callbacks, wallet) => {
        const { submitPermit } = await loadActions();
        return submitPermit(wallet, { dueday, contract, permitId: permit.id, ...callbacks });
      },
      confirm: (service, options) => service.listAccountPermits({ address: provider, role: "provider" }, options),
    });
  return (
    <Stack>
      <Card
        title="Signed approvals"
        note={`Subscribers have signed these, for which they need no ether. Submit one, and its allowance is set: you pay the network's fee, and the payments that it covers no longer fail because of the allowance.${
          hasMore ? ` The oldest are listed: ${permits.length} of ${count}.` : ""
        }`}
        footer={<SourceLink asOf={asOf} />}
        flush
      >
        {permits.length === 0 ? (
          <Empty title="None is left">What a subscriber signs on its page is listed here until it is submitted.</Empty>
        ) : (
          <ListTable
            fileName="signed-approvals"
            label="Signed approvals of subscribers"
            rows={permits}
            rowKey={({ id }) => id}
            columns={columnsOf((permit) => (
              <SignButton
                aria-label={`Submit the signed approval of ${shorten(permit.owner)}`}
                isBusy={isBusy}
                connects
                onSign={() => submit(permit)}
              >
                Submit
              </SignButton>
            ))}
          />
        )}
      </Card>
      <ActionStatus progress={progress} done="The approval is set." />
    </Stack>
  );
}

function columnsOf(button: (permit: Permit) => ReactNode): readonly Column<Permit>[] {
  return [
    {
      key: "subscriber",
      header: "Subscriber",
      values: { Subscriber: ({ owner }) => owner },
      cell: ({ owner }) => (
        <Link to="/accounts/$address" params={{ address: owner }}>
          <ShortHex value={owner} />
        </Link>
      ),
    },
    amountColumn(({ value, tokenSymbol }) => ({ amount: value, tokenSymbol }), "Approval"),
    {
      key: "until",
      header: "Can be submitted until",
      values: { "Can be submitted until": ({ deadline }) => deadline },
      cell: ({ deadline }) => formatTime(Number(deadline)),
    },
    { key: "submit", header: "Actions", actions: true, cell: button },
  ];
}
