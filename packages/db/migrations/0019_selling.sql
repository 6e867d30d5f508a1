CREATE TABLE "checkout_settings" (
	"seller" "bytea" PRIMARY KEY NOT NULL,
	"origins" jsonb NOT NULL,
	"return_urls" jsonb NOT NULL,
	"support_url" text,
	"paymaster_url" text,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "domain_checks" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"provider" "bytea" NOT NULL,
	"profile_domain" text NOT NULL,
	"domain" text NOT NULL,
	"confirmed_at" timestamp with time zone,
	"next_check_at" timestamp with time zone NOT NULL,
	CONSTRAINT "domain_checks_chain_id_contract_provider_pk" PRIMARY KEY("chain_id","contract","provider")
);
