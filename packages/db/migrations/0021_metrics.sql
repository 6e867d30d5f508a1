CREATE TABLE "cohort_months" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"provider" "bytea" NOT NULL,
	"token" "bytea" NOT NULL,
	"cohort" integer NOT NULL,
	"month" integer NOT NULL,
	"joined" integer DEFAULT 0 NOT NULL,
	"active_change" integer DEFAULT 0 NOT NULL,
	"charges" bigint DEFAULT 0 NOT NULL,
	"charged" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "cohort_months_pk" PRIMARY KEY("chain_id","contract","provider","token","cohort","month")
);
--> statement-breakpoint
CREATE TABLE "plan_days" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"provider" "bytea" NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"day" bigint NOT NULL,
	"joined" integer DEFAULT 0 NOT NULL,
	"reactivated" integer DEFAULT 0 NOT NULL,
	"left" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"charges" bigint DEFAULT 0 NOT NULL,
	"failures" bigint DEFAULT 0 NOT NULL,
	"charged" numeric DEFAULT '0' NOT NULL,
	"net" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "plan_days_pk" PRIMARY KEY("chain_id","contract","provider","subscription_id","day")
);
--> statement-breakpoint
CREATE TABLE "provider_days" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"provider" "bytea" NOT NULL,
	"token" "bytea" NOT NULL,
	"day" bigint NOT NULL,
	"joined" integer DEFAULT 0 NOT NULL,
	"reactivated" integer DEFAULT 0 NOT NULL,
	"left" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"charges" bigint DEFAULT 0 NOT NULL,
	"failures" bigint DEFAULT 0 NOT NULL,
	"charged" numeric DEFAULT '0' NOT NULL,
	"net" numeric DEFAULT '0' NOT NULL,
	"mrr_joined" numeric DEFAULT '0' NOT NULL,
	"mrr_reactivated" numeric DEFAULT '0' NOT NULL,
	"mrr_left" numeric DEFAULT '0' NOT NULL,
	"mrr_failed" numeric DEFAULT '0' NOT NULL,
	"mrr_removed" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "provider_days_pk" PRIMARY KEY("chain_id","contract","provider","token","day")
);
--> statement-breakpoint
CREATE TABLE "recovered_payments" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"block_number" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"provider" "bytea" NOT NULL,
	"subscription_id" "bytea" NOT NULL,
	"token" "bytea" NOT NULL,
	"day" bigint NOT NULL,
	CONSTRAINT "recovered_payments_chain_id_contract_block_number_log_index_pk" PRIMARY KEY("chain_id","contract","block_number","log_index")
);
--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "joined_block" bigint;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "joined_day" bigint;--> statement-breakpoint
ALTER TABLE "outbox_counters" ADD COLUMN "announced_since" bigint;--> statement-breakpoint
CREATE INDEX "recovered_payments_by_provider" ON "recovered_payments" USING btree ("chain_id","contract","provider","day");--> statement-breakpoint
-- Rows that every batch of logs updates stay on their page, and their indexes unchanged.
ALTER TABLE "provider_days" SET (fillfactor = 60);--> statement-breakpoint
ALTER TABLE "plan_days" SET (fillfactor = 60);--> statement-breakpoint
ALTER TABLE "cohort_months" SET (fillfactor = 60);
