-- Unlogged: every attempt of a delivery changes two rows, and a crash may forget them.
CREATE UNLOGGED TABLE "webhook_targets" (
	"target" text PRIMARY KEY NOT NULL,
	"used_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhook_targets" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "developer_keys" ADD COLUMN "by_admin" boolean;--> statement-breakpoint
-- The portal names its subjects by their account, as the admin may too.
UPDATE "developer_keys" k SET "by_admin" = "subject_id" NOT LIKE 'eip155:0x%'
	OR EXISTS (SELECT FROM "admin_audit" a WHERE a."key_id" = k."id" AND a."action" = 'create_key');--> statement-breakpoint
ALTER TABLE "developer_keys" ALTER COLUMN "by_admin" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "host" text;--> statement-breakpoint
UPDATE "webhooks" SET "host" = rtrim(lower(substring("url" from '^https?://\[?([^]/?#:]+|[^]/?#]+(?=\]))')), '.');--> statement-breakpoint
ALTER TABLE "webhooks" ALTER COLUMN "host" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "confirmed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "is_slow" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "rests_until" timestamp with time zone;--> statement-breakpoint
-- An endpoint that took something in the last 30 days wants what it gets. The others have to answer a challenge first.
UPDATE "webhooks" w SET "confirmed_at" = d."taken_at" FROM (
	SELECT "webhook_id", max("last_attempt_at") AS "taken_at" FROM "webhook_deliveries" WHERE "state" = 'delivered' GROUP BY "webhook_id"
) d WHERE d."webhook_id" = w."id" AND d."taken_at" > now() - interval '30 days';--> statement-breakpoint
UPDATE "webhooks" SET "enabled" = false, "disabled_reason" = 'challenge', "disabled_at" = now(), "revision" = "revision" + 1
	WHERE "confirmed_at" IS NULL;
