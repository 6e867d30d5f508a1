CREATE TABLE "permits" (
	"id" uuid PRIMARY KEY NOT NULL,
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"seq" bigint GENERATED ALWAYS AS IDENTITY (sequence name "permits_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"token" "bytea" NOT NULL,
	"owner" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"signature" "bytea" NOT NULL,
	"is_of_key" boolean NOT NULL,
	"value" numeric(78, 0) NOT NULL,
	"nonce" numeric(78, 0) NOT NULL,
	"allowance" numeric(78, 0) NOT NULL,
	"deadline" bigint NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "permits_hash" ON "permits" USING btree ("chain_id","contract","hash");--> statement-breakpoint
CREATE UNIQUE INDEX "permits_kept" ON "permits" USING btree ("chain_id","contract","token","owner") WHERE "permits"."state" = 'kept';--> statement-breakpoint
CREATE INDEX "permits_by_token" ON "permits" USING btree ("chain_id","contract","token","seq") WHERE "permits"."state" = 'kept';--> statement-breakpoint
CREATE INDEX "permits_by_deadline" ON "permits" USING btree ("deadline");