-- Rows that every batch of logs updates stay on their page, and their indexes unchanged.
ALTER TABLE "activity_counters" SET (fillfactor = 60);--> statement-breakpoint
ALTER TABLE "daily_money" SET (fillfactor = 60);--> statement-breakpoint
ALTER TABLE "subscriptions" SET (fillfactor = 60);
