DROP INDEX "permits_kept";--> statement-breakpoint
CREATE UNIQUE INDEX "permits_kept" ON "permits" USING btree ("chain_id","contract","owner","token") WHERE "permits"."state" = 'kept';