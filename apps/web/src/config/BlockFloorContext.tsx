import { createContext, type ReactNode, use } from "react";
import type { BlockFloor } from "./createBlockFloor";

const Context = createContext<BlockFloor | null>(null);

/** Provides the pages below with the block floor that the client sends with its requests. */
export function BlockFloorContext({ floor, children }: { floor: BlockFloor; children: ReactNode }) {
  return <Context value={floor}>{children}</Context>;
}

/** @throws Error outside of a BlockFloorContext */
export function useBlockFloor(): BlockFloor {
  const floor = use(Context);
  if (floor === null) throw new Error("wrap the component in a BlockFloorContext");
  return floor;
}
