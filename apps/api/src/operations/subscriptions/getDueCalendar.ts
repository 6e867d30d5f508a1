import { readBlockByHash } from "@dueday/chain/block/parseBlock";
import { pinBlock } from "@dueday/chain/block/pinBlock";
import { presentCalendarDay } from "@dueday/chain/due/presentCalendarDay";
import { readDueDays } from "@dueday/chain/due/readDueDays";
import { monthDays } from "@dueday/core/calendar/monthDays";
import { validationError } from "@dueday/core/errors";
import { filterKey, readPaymentFilter } from "@dueday/core/remit/paymentFilter";
import { CalendarDay } from "@dueday/core/schemas/dueCalendar";
import { Type } from "@sinclair/typebox";
import type { Hex } from "viem";
import { answerLiveOnce, type PickBlock } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import type { Context } from "../../operation/context";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { type KeptDueDays, keptDueDays } from "../../snapshots/keptDueDays";
import { dueParameters } from "./dueParameters";
import { filterInQuery } from "./filterInQuery";

const Month = Type.String({
  pattern: "^\\d{4}-\\d{2}$",
  maxLength: 7,
  expects: "a month as YYYY-MM, such as 2026-03, from 1970-01 on",
  description: "UTC month, YYYY-MM",
});

export const getDueCalendar = defineOperation({
  ...liveRead,
  name: "get_due_calendar",
  http: { method: "GET", path: "/subscriptions/due/calendar" },
  summary: "A month of due days: what is open, upcoming, settled, missed and failed on each, by token",
  forAgents:
    "A month at a glance: payments open, upcoming, settled, failed and missed on each day. For one day use get_subscriptions_due",
  description:
    "One row for each day of the month, with the sums of GET /subscriptions/due: open and upcoming are what remit() will still charge, " +
    "by the plan; settled, failed and missed are what happened, by the events, and null while the event index is behind. Beyond 35 days " +
    "every active subscriber counts as paying.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  input: Type.Object({ month: inQuery(Month), ...filterInQuery, ...detailInQuery }),
  summarized: {
    omits: [
      "days.dayNumber",
      ...["open", "upcoming", "settled", "failed", "missed"].flatMap((sum) =>
        ["token", "amountRaw", "tokenDecimals"].map((name) => `days.${sum}.byToken.${name}`),
      ),
    ],
  },
  output: chainAnswer({ month: Month, days: Type.Array(CalendarDay, { maxItems: 31 }) }),
  example: { month: "2026-03" },
  async handler(context, { month, ...input }) {
    const filter = readPaymentFilter(input);
    const days = monthDays(month);
    if (days === null) throw validationError("month", "MALFORMED", `must be ${Month.expects}`);
    const kept = filter === null ? keptDays(context, days) : null;
    const { chainId, asOf, due } = await answerLiveOnce(
      context,
      `calendar ${month} ${filterKey(filter)} ${kept?.blockHash}`,
      async (client, block) => {
        const heads = block.hash === kept?.blockHash ? kept.heads : null;
        const others = days.filter((day) => heads?.has(day) !== true);
        const read = await readDueDays(client, {
          ...dueParameters(context, block, filter),
          days: others,
          closedLists: false,
        });
        return { due: [...read, ...(heads?.values() ?? [])] };
      },
      kept === null ? pinBlock : pickOnce(kept.blockHash),
    );
    return { chainId, month, days: due.map(presentCalendarDay), asOf };
  },
});

/** The days of the month whose sums a scan has ready. The other days are read at the block of that scan. */
function keptDays({ chain, clock, minBlock, service }: Context, days: readonly number[]): KeptDueDays | null {
  const { staleAfterMs } = service.config;
  return keptDueDays(chain.snapshots, days, { minBlock: minBlock ?? 0n, now: clock(), staleAfterMs });
}

/** Picks the block of this hash for the first try, and that of `pinBlock` for the second, where the node does not have the first. */
function pickOnce(blockHash: Hex): PickBlock {
  let isFirst = true;
  return async (client) => {
    const wasFirst = isFirst;
    isFirst = false;
    return wasFirst ? readBlockByHash(client, blockHash) : pinBlock(client);
  };
}
