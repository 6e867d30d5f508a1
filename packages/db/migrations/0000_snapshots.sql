CREATE TABLE "chain_identity" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"genesis_hash" text NOT NULL,
	CONSTRAINT "chain_identity_chain_id_pk" PRIMARY KEY("chain_id")
);
--> statement-breakpoint
CREATE TABLE "snapshots" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" text NOT NULL,
	"block_timestamp" bigint NOT NULL,
	"computed_at" timestamp with time zone NOT NULL,
	"payload" text NOT NULL,
	"hash" text NOT NULL,
	"orphaned" boolean DEFAULT false NOT NULL,
	CONSTRAINT "snapshots_chain_id_contract_kind_key_pk" PRIMARY KEY("chain_id","contract","kind","key")
);
