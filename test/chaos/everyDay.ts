import { weeklyBook } from "@dueday/devnet/scenarios/weeklyBook";

/** Every day that begins brings two transactions for a keeper: six payments in pages of four. All before today is settled. */
export const everyDay = weeklyBook({ dueDays: [1, 2, 3, 4, 5, 6, 7], subscribers: 6, maxRemits: 4n, daysBefore: 9 });
