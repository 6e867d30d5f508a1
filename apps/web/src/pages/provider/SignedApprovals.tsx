import { useDuedayQuery } from "@dueday/sdk/react";
import { useState } from "react";
import type { Address } from "viem";
import { Answer } from "../../states/Answer";
import { lazyWallet } from "../../wallet/lazyWallet";
import type { SignedApprovalsCardProps } from "./SignedApprovalsCard";

const SignedApprovalsCard = lazyWallet<SignedApprovalsCardProps>("your wallet", () =>
  import("./SignedApprovalsCard").then((module) => module.SignedApprovalsCard),
);

/** Approvals that subscribers of a provider have signed and that are not submitted yet. Shows nothing where there are none. */
export function SignedApprovals({ address }: { address: Address }) {
  const query = useDuedayQuery("listAccountPermits", { address, role: "provider" });
  // The card stays when the last approval is submitted: it shows the result.
  const [wasAny, setAny] = useState(false);
  const count = query.data?.permits.length ?? 0;
  if (count > 0 && !wasAny) setAny(true);
  return (
    <Answer query={query} label="what subscribers have signed">
      {(answer) => wasAny && <SignedApprovalsCard provider={address} answer={answer} />}
    </Answer>
  );
}
