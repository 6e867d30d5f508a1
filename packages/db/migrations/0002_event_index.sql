CREATE TABLE "activity_counters" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"account" "bytea" NOT NULL,
	"role" smallint NOT NULL,
	"code" smallint NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "activity_counters_chain_id_contract_account_role_code_pk" PRIMARY KEY("chain_id","contract","account","role","code")
);
--> statement-breakpoint
CREATE TABLE "keeper_calls" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"caller" "bytea" NOT NULL,
	"calls" bigint NOT NULL,
	"days_closed" bigint NOT NULL,
	CONSTRAINT "keeper_calls_chain_id_contract_caller_pk" PRIMARY KEY("chain_id","contract","caller")
);
--> statement-breakpoint
CREATE TABLE "provider_profiles" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"provider" "bytea" NOT NULL,
	"description" text NOT NULL,
	"company" text NOT NULL,
	"url" text NOT NULL,
	"domain" text NOT NULL,
	"email" text NOT NULL,
	"misc" text NOT NULL,
	"truncated" boolean NOT NULL,
	"updated_block" bigint NOT NULL,
	"timestamp" bigint NOT NULL,
	CONSTRAINT "provider_profiles_chain_id_contract_provider_pk" PRIMARY KEY("chain_id","contract","provider")
);
--> statement-breakpoint
CREATE TABLE "indexed_tokens" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"token" "bytea" NOT NULL,
	"symbol" text NOT NULL,
	"decimals" smallint NOT NULL,
	CONSTRAINT "indexed_tokens_chain_id_contract_token_pk" PRIMARY KEY("chain_id","contract","token")
);
--> statement-breakpoint
CREATE TABLE "subscription_terms" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"id" "bytea" NOT NULL,
	"created_block" bigint NOT NULL,
	"frequency" smallint NOT NULL,
	"due_day" integer NOT NULL,
	CONSTRAINT "subscription_terms_chain_id_contract_id_pk" PRIMARY KEY("chain_id","contract","id")
);
--> statement-breakpoint
CREATE TABLE "details_logs" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"provider" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"url" text NOT NULL,
	"description" text NOT NULL,
	"truncated" boolean NOT NULL,
	"raw" "bytea" NOT NULL,
	CONSTRAINT "details_logs_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "index_checkpoints" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"number" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"head_number" bigint NOT NULL,
	"confirmed_at" timestamp with time zone NOT NULL,
	"blocks_per_second" double precision,
	CONSTRAINT "index_checkpoints_chain_id_contract_pk" PRIMARY KEY("chain_id","contract")
);
--> statement-breakpoint
CREATE TABLE "indexed_blocks" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"number" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	CONSTRAINT "indexed_blocks_chain_id_contract_number_pk" PRIMARY KEY("chain_id","contract","number")
);
--> statement-breakpoint
CREATE TABLE "provider_details_logs" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"provider" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"description" text NOT NULL,
	"company" text NOT NULL,
	"url" text NOT NULL,
	"domain" text NOT NULL,
	"email" text NOT NULL,
	"misc" text NOT NULL,
	"truncated" boolean NOT NULL,
	"raw" "bytea" NOT NULL,
	CONSTRAINT "provider_details_logs_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "caller_logs" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"checked_day" bigint NOT NULL,
	"caller" "bytea" NOT NULL,
	"is_finished" boolean NOT NULL,
	CONSTRAINT "caller_logs_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "coordinates_logs" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"subscriber_index" numeric(78, 0) NOT NULL,
	"subscription_index" numeric(78, 0) NOT NULL,
	"frequency" numeric(78, 0) NOT NULL,
	"next_unchecked_day" bigint NOT NULL,
	CONSTRAINT "coordinates_logs_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "u_list_logs" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"subscriber" "bytea" NOT NULL,
	CONSTRAINT "u_list_logs_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "sub_logs" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"block_hash" "bytea" NOT NULL,
	"transaction_hash" "bytea" NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"provider" "bytea" NOT NULL,
	"subscriber" "bytea" NOT NULL,
	"token" "bytea" NOT NULL,
	"timestamp" bigint NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"code" smallint NOT NULL,
	CONSTRAINT "sub_logs_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"subscriber" "bytea" NOT NULL,
	"active" boolean NOT NULL,
	"changed_block" bigint NOT NULL,
	CONSTRAINT "memberships_chain_id_contract_subscription_id_subscriber_pk" PRIMARY KEY("chain_id","contract","subscription_id","subscriber")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"id" "bytea" NOT NULL,
	"created_block" bigint NOT NULL,
	"created_log_index" integer NOT NULL,
	"provider" "bytea" NOT NULL,
	"token" "bytea" NOT NULL,
	"amount" numeric(78, 0) NOT NULL,
	"frequency" smallint NOT NULL,
	"due_day" integer NOT NULL,
	"cancelled_block" bigint,
	"url" text,
	"description" text,
	"details_truncated" boolean,
	"details_block" bigint,
	"details_timestamp" bigint,
	"active_subscribers" integer DEFAULT 0 NOT NULL,
	"log_count" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "subscriptions_chain_id_contract_id_pk" PRIMARY KEY("chain_id","contract","id")
);
--> statement-breakpoint
CREATE INDEX "details_logs_by_subscription" ON "details_logs" USING btree ("chain_id","subscription_id","block_number","log_index");--> statement-breakpoint
CREATE INDEX "provider_details_logs_by_provider" ON "provider_details_logs" USING btree ("chain_id","provider","block_number","log_index");--> statement-breakpoint
CREATE INDEX "u_list_logs_by_subscription" ON "u_list_logs" USING btree ("chain_id","subscription_id","block_number");--> statement-breakpoint
CREATE INDEX "sub_logs_by_subscription" ON "sub_logs" USING btree ("chain_id","subscription_id","block_number","log_index");--> statement-breakpoint
CREATE INDEX "sub_logs_by_provider" ON "sub_logs" USING btree ("chain_id","provider","block_number","log_index");--> statement-breakpoint
CREATE INDEX "sub_logs_by_subscriber" ON "sub_logs" USING btree ("chain_id","subscriber","block_number","log_index");--> statement-breakpoint
CREATE INDEX "memberships_by_change" ON "memberships" USING btree ("chain_id","subscription_id","changed_block");--> statement-breakpoint
CREATE INDEX "memberships_by_subscriber" ON "memberships" USING btree ("chain_id","subscriber");--> statement-breakpoint
CREATE INDEX "subscriptions_by_age" ON "subscriptions" USING btree ("chain_id","created_block","created_log_index");--> statement-breakpoint
CREATE INDEX "subscriptions_by_provider" ON "subscriptions" USING btree ("chain_id","provider","created_block","created_log_index");--> statement-breakpoint
CREATE INDEX "subscriptions_by_token" ON "subscriptions" USING btree ("chain_id","token","created_block","created_log_index");--> statement-breakpoint
CREATE INDEX "subscriptions_by_frequency" ON "subscriptions" USING btree ("chain_id","frequency","created_block","created_log_index");--> statement-breakpoint
CREATE INDEX "subscriptions_cancelled" ON "subscriptions" USING btree ("chain_id","created_block","created_log_index") WHERE cancelled_block is not null;