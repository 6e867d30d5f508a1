import { useState } from "react";
import { createWalletClient, custom } from "viem";
import type { AppChain } from "../../config/appConfig";
import { WrongChain } from "../../states/WrongChain";
import { describeFailure, type Failure } from "../../wallet/describeFailure";
import { FailureNotice } from "../../wallet/FailureNotice";
import { toChain } from "../../wallet/toChain";
import type { Connection } from "./connectWallet";

/** Error code of EIP-1193 wallets for a chain that they don't know. */
const UNKNOWN_CHAIN = 4902;

/** For a wallet on another chain: asks it to switch to `chain`, or to add the chain where the wallet does not know it. */
export function SwitchChain({ connection, chain }: { connection: Connection; chain: AppChain }) {
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const onSwitch = async () => {
    setPending(true);
    setFailure(null);
    const client = createWalletClient({ transport: custom(connection.provider) });
    try {
      await client.switchChain({ id: chain.chainId }).catch(async (error: unknown) => {
        if (Object(error).code !== UNKNOWN_CHAIN || chain.publicRpcUrl === null) throw error;
        await client.addChain({ chain: toChain(chain) });
      });
    } catch (error) {
      setFailure(describeFailure(error));
    }
    setPending(false);
  };
  return (
    <>
      <WrongChain chainName={chain.name} isPending={isPending} onSwitch={() => void onSwitch()} />
      {failure !== null && <FailureNotice failure={failure} />}
    </>
  );
}
