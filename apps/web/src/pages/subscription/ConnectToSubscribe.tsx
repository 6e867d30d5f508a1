import { Stack } from "../../ui/Stack";
import { WalletSlot } from "../../wallet/WalletSlot";

/** What a reader without a wallet can do with a subscription. */
export function ConnectToSubscribe() {
  return (
    <Stack>
      <p>Connect a wallet to subscribe, or to see what it has paid for.</p>
      <p>
        <WalletSlot />
      </p>
    </Stack>
  );
}
