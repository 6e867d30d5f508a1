ALTER TABLE "index_checkpoints" ADD COLUMN "proven_number" bigint;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "range_blocks" integer;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "failure" text;