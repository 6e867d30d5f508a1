CREATE TABLE "daily_money" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"account" "bytea" NOT NULL,
	"role" smallint NOT NULL,
	"day" bigint NOT NULL,
	"token" "bytea" NOT NULL,
	"paid" numeric NOT NULL,
	"failed" numeric NOT NULL,
	"refunded" numeric NOT NULL,
	"charges" bigint NOT NULL,
	"failures" bigint NOT NULL,
	CONSTRAINT "daily_money_chain_id_contract_account_role_day_token_pk" PRIMARY KEY("chain_id","contract","account","role","day","token")
);
--> statement-breakpoint
CREATE TABLE "remits" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"keeper" "bytea" NOT NULL,
	"closed_days" bigint[] NOT NULL,
	"payments" integer NOT NULL,
	"failures" integer NOT NULL,
	"lag_seconds" bigint NOT NULL,
	CONSTRAINT "remits_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "keeper_fees" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"token" "bytea" NOT NULL,
	"units" numeric NOT NULL,
	CONSTRAINT "keeper_fees_chain_id_contract_block_number_transaction_hash_token_pk" PRIMARY KEY("chain_id","contract","block_number","transaction_hash","token")
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"gas_used" numeric NOT NULL,
	"cost_wei" numeric NOT NULL,
	CONSTRAINT "receipts_chain_id_contract_block_number_transaction_hash_pk" PRIMARY KEY("chain_id","contract","block_number","transaction_hash")
);
--> statement-breakpoint
CREATE TABLE "removal_refunds" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"units" numeric(78, 0) NOT NULL,
	CONSTRAINT "removal_refunds_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
ALTER TABLE "index_checkpoints" ADD COLUMN "derived_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "remits_by_keeper" ON "remits" USING btree ("chain_id","contract","keeper","block_number","log_index");--> statement-breakpoint
CREATE INDEX "remits_by_time" ON "remits" USING btree ("chain_id","contract","timestamp","block_number");