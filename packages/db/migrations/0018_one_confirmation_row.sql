CREATE TABLE "snapshot_confirmations" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"proofs" jsonb NOT NULL,
	CONSTRAINT "snapshot_confirmations_chain_id_contract_pk" PRIMARY KEY("chain_id","contract")
);
--> statement-breakpoint
ALTER TABLE "snapshots" DROP COLUMN "confirmed_at";