CREATE TABLE "outbox" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"seq" bigint NOT NULL,
	"id" text NOT NULL,
	"type" text NOT NULL,
	"topic" text NOT NULL,
	"subscription_id" "bytea",
	"provider" "bytea",
	"subscriber" "bytea",
	"block_number" bigint NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"from_plan" boolean NOT NULL,
	"retracted" boolean NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	"body" text NOT NULL,
	CONSTRAINT "outbox_chain_id_contract_seq_pk" PRIMARY KEY("chain_id","contract","seq")
);
--> statement-breakpoint
CREATE TABLE "outbox_counters" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"last_seq" bigint NOT NULL,
	"pruned_seq" bigint NOT NULL,
	CONSTRAINT "outbox_counters_chain_id_contract_pk" PRIMARY KEY("chain_id","contract")
);
--> statement-breakpoint
CREATE TABLE "outbox_states" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"subject" text NOT NULL,
	"block_number" bigint NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"state" text NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	CONSTRAINT "outbox_states_chain_id_contract_subject_block_number_pk" PRIMARY KEY("chain_id","contract","subject","block_number")
);
--> statement-breakpoint
CREATE INDEX "outbox_by_block" ON "outbox" USING btree ("chain_id","contract","block_number") WHERE not retracted;