CREATE TABLE "due_pages" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"kind" text NOT NULL,
	"hash" text NOT NULL,
	"payload" text NOT NULL,
	"needed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "due_pages_chain_id_contract_kind_hash_pk" PRIMARY KEY("chain_id","contract","kind","hash")
);
