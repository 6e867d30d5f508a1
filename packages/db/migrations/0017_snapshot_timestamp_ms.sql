ALTER TABLE "index_checkpoints" ADD COLUMN "timestamp_ms" bigint;--> statement-breakpoint
ALTER TABLE "snapshots" ADD COLUMN "block_timestamp_ms" bigint;