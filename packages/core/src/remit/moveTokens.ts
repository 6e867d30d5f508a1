import type { Address } from "viem";
import { toTokenUnits } from "../amounts/tokenUnits";
import type { Charge } from "./charge";
import type { GasMeter } from "./gasMeter";
import type { RemitCall } from "./remitCall";
import { transferRefused } from "./remitRevert";
import { INFINITE_ALLOWANCE, type Refusal, type TokenLedger } from "./tokenLedger";

/** Moves token units from a subscriber by its allowance. Throws RemitRevert where the token refuses. */
export function takeTokens(call: RemitCall, charge: Charge, from: Address, to: Address, units: bigint): void {
  const refusal = charge.ledger.take(from, to, units);
  if (refusal !== null) throw refused(charge, refusal, from);
  recordTransfer(call, charge, from, to, units);
}

/**
 * Moves `amount` (18 decimals) from the protocol's own balance. A transfer of 0 is made, too. Throws RemitRevert where
 * the token refuses.
 */
export function sendTokens(call: RemitCall, charge: Charge, to: Address, amount: bigint): void {
  const units = toTokenUnits(amount, charge.ledger.token.decimals);
  const refusal = charge.ledger.send(to, units);
  if (refusal !== null) throw refused(charge, refusal);
  recordTransfer(call, charge, call.state.origin.protocol, to, units);
}

function refused(charge: Charge, { reason, account }: Refusal, subscriber?: Address) {
  const { id, token } = charge.subscription;
  return transferRefused(reason, { id, token, account, ...(account === subscriber && { subscriber }) });
}

function recordTransfer(call: RemitCall, charge: Charge, from: Address, to: Address, value: bigint): void {
  const { token } = charge.subscription;
  if (call.meter !== null) meterTransfer(call.meter, charge.ledger, { from, to, value });
  if (to === call.state.origin.caller) call.receipts.set(token, (call.receipts.get(token) ?? 0n) + value);
  call.events?.push({ event: "Transfer", token, from, to, value });
}

/** Meters a transfer that `ledger` has made. */
function meterTransfer(
  meter: GasMeter,
  ledger: TokenLedger,
  { from, to, value }: { from: Address; to: Address; value: bigint },
): void {
  const [sent, received] = [ledger.holdingOf(from), ledger.holdingOf(to)];
  const fromChange = { account: from, before: sent.balance + value, after: sent.balance };
  const toChange = { account: to, before: received.balance - value, after: received.balance };
  const { allowance } = sent;
  const isTaken = from !== ledger.protocol && allowance !== INFINITE_ALLOWANCE;
  meter.transfer(
    ledger.address,
    fromChange,
    toChange,
    isTaken ? { before: allowance + value, after: allowance } : undefined,
  );
}
