import { Type } from "@sinclair/typebox";
import { ConfirmationMessage, WithdrawalMessage } from "./confirmationMessage";
import { HeadMessage } from "./headMessage";
import { type ListenOptions, listenChannel } from "./listenChannel";
import { SNAPSHOT_CHANNEL, type SnapshotChange, SnapshotMessage } from "./snapshotChannel";
import { knownSnapshots } from "./snapshots/knownSnapshots";
import { WorkerMessage } from "./workerMessage";

export type ListenSnapshotsOptions = ListenOptions & {
  /** A snapshot of a known schema version was written, deleted, or marked as orphaned. */
  onChange(change: SnapshotChange): void;
  /** A worker announced the head of its chain. */
  onHead?(message: HeadMessage): void;
  /** Snapshots were proven at a later block. */
  onConfirmation?(message: ConfirmationMessage): void;
  /** Blocks were replaced. */
  onWithdrawal?(message: WithdrawalMessage): void;
  /** A worker reported itself. */
  onWorker?(message: WorkerMessage): void;
};

/** Listens for changed snapshots until `close()`. After `onConnect`, read all snapshots. */
export function listenSnapshots({
  onChange,
  onHead,
  onConfirmation,
  onWithdrawal,
  onWorker,
  ...options
}: ListenSnapshotsOptions): {
  close(): Promise<void>;
} {
  return listenChannel({
    ...options,
    channel: SNAPSHOT_CHANNEL,
    action: "listen for snapshots",
    schema: Message,
    onMessage(message) {
      if ("head" in message) onHead?.(message);
      else if ("confirmedAt" in message) onConfirmation?.(message);
      else if ("orphanedFrom" in message) onWithdrawal?.(message);
      else if ("worker" in message) onWorker?.(message);
      else for (const known of knownSnapshots([message])) onChange(known);
    },
  });
}

const Message = Type.Union([SnapshotMessage, HeadMessage, ConfirmationMessage, WithdrawalMessage, WorkerMessage]);
