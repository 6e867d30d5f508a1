ALTER TABLE "keeper_calls" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "u_list_logs" DISABLE ROW LEVEL SECURITY;--> statement-breakpoint
DROP TABLE "keeper_calls" CASCADE;--> statement-breakpoint
DROP TABLE "u_list_logs" CASCADE;--> statement-breakpoint
CREATE INDEX "caller_logs_by_caller" ON "caller_logs" USING btree ("chain_id","caller","block_number","log_index");--> statement-breakpoint
ALTER TABLE "subscriptions" DROP COLUMN "details_block";--> statement-breakpoint
ALTER TABLE "subscriptions" DROP COLUMN "details_timestamp";