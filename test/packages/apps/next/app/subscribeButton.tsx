"use client";

import { useEntitlement, useSubscribe } from "@dueday/sdk/react";
import type { Hex } from "viem";
import { useConnection } from "wagmi";

export function SubscribeButton({ id }: { id: Hex }) {
  const { address } = useConnection();
  const { data } = useEntitlement(address === undefined ? null : { id, account: address });
  const { mutate: subscribe, isPending, error } = useSubscribe();
  if (data?.entitled === true) return <span>subscribed</span>;
  return (
    <button type="button" disabled={isPending} onClick={() => subscribe({ id, approvalPeriods: 12 })}>
      {error?.code ?? "Subscribe"}
    </button>
  );
}
