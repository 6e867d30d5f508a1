import type { DuedayEvent } from "@dueday/sdk";
import { renewQueries, useDueday } from "@dueday/sdk/react";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useInstallation } from "../config/ChainContext";
import { affectedReads } from "./affectedReads";
import { createRenewal } from "./createRenewal";
import { type LiveStatus, shareEvents } from "./shareEvents";

type Listener = (event: DuedayEvent) => void;
type Live = { status: LiveStatus; listeners: Set<Listener> };

const Context = createContext<Live | null>(null);

/** Follows the chain's events for all pages below, and renews the answers that they show. */
export function LiveEvents({ children }: { children: ReactNode }) {
  const { dueday } = useDueday();
  const { chainId } = useInstallation().chain;
  const queryClient = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>("connecting");
  const listeners = useRef(new Set<Listener>()).current;

  useEffect(() => {
    const ending = new AbortController();
    const renewal = createRenewal(queryClient);
    shareEvents(dueday, {
      chainId,
      signal: ending.signal,
      onStatus: setStatus,
      onGap: () => void renewQueries(queryClient),
      onEvent(event) {
        renewal.renew(affectedReads(event.type));
        for (const listener of listeners) listener(event);
      },
    });
    return () => {
      ending.abort();
      renewal.stop();
    };
  }, [dueday, chainId, queryClient, listeners]);

  const live = useMemo(() => ({ status, listeners }), [status, listeners]);
  return <Context value={live}>{children}</Context>;
}

function useLive(): Live {
  const live = use(Context);
  if (live === null) throw new Error("wrap the component in LiveEvents");
  return live;
}

/** Whether events arrive. A browser that goes offline reports that at once, while its stream stays silent. */
export function useLiveStatus(): LiveStatus {
  const { status } = useLive();
  const isOnline = useSyncExternalStore(subscribeToNetwork, () => navigator.onLine);
  return isOnline || status === "failed" ? status : "broken";
}

function subscribeToNetwork(listener: () => void): () => void {
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Calls a listener with each event while the component is mounted. Queries are renewed without it. */
export function useLiveEvent(listener: Listener): void {
  const { listeners } = useLive();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const call: Listener = (event) => latest.current(event);
    listeners.add(call);
    return () => void listeners.delete(call);
  }, [listeners]);
}
