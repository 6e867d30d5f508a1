CREATE TABLE "block_hashes" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"slot" smallint NOT NULL,
	"minute" bigint NOT NULL,
	"numbers" bigint[] NOT NULL,
	"hashes" "bytea"[] NOT NULL,
	"timestamps" bigint[] NOT NULL,
	CONSTRAINT "block_hashes_chain_id_contract_slot_pk" PRIMARY KEY("chain_id","contract","slot")
);
--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "head_timestamp" bigint;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "safe_number" bigint;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "final_number" bigint;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "final_hash" "bytea";--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "finality_by" text;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "finality_read_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "rewinds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "rewound_from" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "rewound_to" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
-- The hashes of the newest 150 minutes, one a second.
INSERT INTO "block_hashes" ("chain_id", "contract", "slot", "minute", "numbers", "hashes", "timestamps")
SELECT chain_id, contract, (place - 1)::smallint, minute, array_agg(number ORDER BY number),
  array_agg(hash ORDER BY number), array_agg("timestamp" ORDER BY number)
FROM (
  SELECT *, dense_rank() OVER (PARTITION BY chain_id, contract ORDER BY minute DESC) AS place
  FROM (
    SELECT DISTINCT ON (chain_id, contract, "timestamp") *, "timestamp" / 60 AS minute
    FROM "indexed_blocks" ORDER BY chain_id, contract, "timestamp", number DESC
  ) AS thinned
) AS ranked
WHERE place <= 150 GROUP BY chain_id, contract, place, minute;--> statement-breakpoint
INSERT INTO "block_hashes" SELECT chain_id, contract, slot, -1, '{}', '{}', '{}'
FROM "index_checkpoints", generate_series(0, 149) AS slot ON CONFLICT DO NOTHING;--> statement-breakpoint
-- Earlier releases called blocks proven by their depth: those of the last day are compared with the final chain once more.
UPDATE "index_checkpoints" c SET "proven_number" = least("proven_number", (
  SELECT coalesce(max(number) FILTER (WHERE b."timestamp" <= c."timestamp" - 86400), min(number)) FROM "indexed_blocks" b
  WHERE b.chain_id = c.chain_id AND b.contract = c.contract))
WHERE "proven_number" IS NOT NULL;--> statement-breakpoint
-- And events final by their depth: of the youngest it may not have been true.
UPDATE "outbox" SET "body" = replace("body", '"finalized":true}', CASE WHEN "written_at" < now() - interval '2 hours'
  THEN '"finalized":true,"finality":"finalized"}' ELSE '"finalized":false,"finality":"latest"}' END)
WHERE "body" LIKE '%"finalized":true}%';--> statement-breakpoint
UPDATE "outbox" SET "body" = replace("body", '"finalized":false}', '"finalized":false,"finality":"latest"}')
WHERE "body" LIKE '%"finalized":false}%';
