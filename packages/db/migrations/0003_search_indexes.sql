DROP INDEX "subscriptions_by_age";--> statement-breakpoint
DROP INDEX "subscriptions_by_provider";--> statement-breakpoint
DROP INDEX "subscriptions_by_token";--> statement-breakpoint
DROP INDEX "subscriptions_by_frequency";--> statement-breakpoint
DROP INDEX "subscriptions_cancelled";--> statement-breakpoint
CREATE INDEX "subscriptions_by_age" ON "subscriptions" USING btree ("chain_id","contract","created_block","created_log_index","cancelled_block");--> statement-breakpoint
CREATE INDEX "subscriptions_by_provider" ON "subscriptions" USING btree ("chain_id","contract","provider","created_block","created_log_index","cancelled_block");--> statement-breakpoint
CREATE INDEX "subscriptions_by_token" ON "subscriptions" USING btree ("chain_id","contract","token","created_block","created_log_index","cancelled_block");--> statement-breakpoint
CREATE INDEX "subscriptions_by_frequency" ON "subscriptions" USING btree ("chain_id","contract","frequency","created_block","created_log_index","cancelled_block");--> statement-breakpoint
CREATE INDEX "subscriptions_cancelled" ON "subscriptions" USING btree ("chain_id","contract","created_block","created_log_index","cancelled_block") WHERE cancelled_block is not null;