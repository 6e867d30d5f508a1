import { Value } from "@sinclair/typebox/value";
import { HeadMessage } from "./headMessage";
import { type ListenChannelOptions, listenChannel } from "./listenChannel";
import { knownSnapshots } from "./queries/knownSnapshots";
import { SNAPSHOT_CHANNEL, type SnapshotChange, SnapshotMessage } from "./snapshotChannel";

export type ListenOptions = Omit<ListenChannelOptions, "channel" | "action" | "onMessage"> & {
  /** A snapshot of a known schema version was written, marked as orphaned or deleted. */
  onChange(change: SnapshotChange): void;
  /** A worker announced the head of its chain. */
  onHead?(message: HeadMessage): void;
};

/** Listens for changed snapshots until `close()`. After `onConnect`, read all snapshots. */
export function listenSnapshots({ onChange, onHead, ...options }: ListenOptions): { close(): Promise<void> } {
  return listenChannel({
    ...options,
    channel: SNAPSHOT_CHANNEL,
    action: "listen for snapshots",
    onMessage(text) {
      const message = parseMessage(text);
      if (message === null) return;
      if ("head" in message) onHead?.(message);
      else for (const known of knownSnapshots([message])) onChange(known);
    },
  });
}

/** Null for a message of neither kind. */
function parseMessage(text: string): SnapshotMessage | HeadMessage | null {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(SnapshotMessage, value) || Value.Check(HeadMessage, value) ? value : null;
  } catch {
    return null;
  }
}
