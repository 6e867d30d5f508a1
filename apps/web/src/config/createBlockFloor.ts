/** For this time answers must not be older than the last transaction of this page. Afterwards every process of the service has seen its block. */
const HELD_MS = 60_000;

/** The block that no answer may be older than: that of the last transaction that this page has sent. */
export type BlockFloor = {
  get(): bigint | undefined;
  raise(block: bigint): void;
};

export function createBlockFloor(now: () => number = Date.now): BlockFloor {
  let floor: { block: bigint; until: number } | undefined;
  const get = () => (floor !== undefined && now() < floor.until ? floor.block : undefined);
  return {
    get,
    raise(block) {
      const held = get() ?? 0n;
      floor = { block: block > held ? block : held, until: now() + HELD_MS };
    },
  };
}
