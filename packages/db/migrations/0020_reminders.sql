CREATE TABLE "mail_confirmations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account" "bytea" NOT NULL,
	"mailbox_hash" "bytea" NOT NULL,
	"limit_hash" "bytea" NOT NULL,
	"requested_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "mail_progress" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"after_seq" bigint NOT NULL,
	"coming_day" integer,
	CONSTRAINT "mail_progress_chain_id_contract_pk" PRIMARY KEY("chain_id","contract")
);
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"account" "bytea" PRIMARY KEY NOT NULL,
	"mailbox" "bytea" NOT NULL,
	"mailbox_hash" "bytea" NOT NULL,
	"kinds" text[] NOT NULL,
	"confirmed_at" timestamp with time zone,
	"refusals" integer DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account" "bytea" NOT NULL,
	"mailbox_hash" "bytea" NOT NULL,
	"chain_id" bigint,
	"contract" text,
	"subject" text NOT NULL,
	"wants" text,
	"facts" jsonb NOT NULL,
	"event_id" text,
	"block_number" bigint,
	"state" text NOT NULL,
	"closed" boolean DEFAULT false NOT NULL,
	"held_day" integer,
	"digest_id" uuid,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"leased_by" uuid,
	"leased_until" timestamp with time zone,
	"failure" text,
	"created_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "mail_confirmations_by_limit" ON "mail_confirmations" USING btree ("limit_hash","requested_at");--> statement-breakpoint
CREATE INDEX "mail_confirmations_by_age" ON "mail_confirmations" USING btree ("requested_at");--> statement-breakpoint
CREATE INDEX "mailboxes_by_hash" ON "mailboxes" USING btree ("mailbox_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "mails_by_subject" ON "mails" USING btree ("account","subject") WHERE not closed;--> statement-breakpoint
CREATE INDEX "mails_due" ON "mails" USING btree ("next_attempt_at") WHERE state = 'waiting' and not closed;--> statement-breakpoint
CREATE INDEX "mails_by_event" ON "mails" USING btree ("event_id") WHERE event_id is not null;--> statement-breakpoint
CREATE INDEX "mails_by_mailbox" ON "mails" USING btree ("mailbox_hash","sent_at");--> statement-breakpoint
CREATE INDEX "mails_by_digest" ON "mails" USING btree ("digest_id") WHERE digest_id is not null;--> statement-breakpoint
CREATE INDEX "mails_by_age" ON "mails" USING btree ("created_at");