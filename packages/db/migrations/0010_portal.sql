CREATE TABLE "portal_challenges" (
	"nonce_hash" text PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"issued_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "portal_sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"subject_id" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "portal_challenges_by_expiry" ON "portal_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "portal_sessions_by_subject" ON "portal_sessions" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "portal_sessions_by_expiry" ON "portal_sessions" USING btree ("expires_at");