CREATE TABLE "developer_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject_id" text NOT NULL,
	"label" text,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "developer_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "admin_audit" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "admin_audit_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"action" text NOT NULL,
	"key_id" uuid,
	"subject_id" text,
	"request_id" uuid NOT NULL,
	"client" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_key" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"day" integer NOT NULL,
	"key" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "developer_keys_by_subject" ON "developer_keys" USING btree ("subject_id","created_at");--> statement-breakpoint
CREATE INDEX "developer_keys_by_revocation" ON "developer_keys" USING btree ("revoked_at");--> statement-breakpoint
CREATE INDEX "admin_audit_by_time" ON "admin_audit" USING btree ("at");