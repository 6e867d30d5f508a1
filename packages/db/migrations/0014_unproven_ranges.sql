CREATE TABLE "unproven_ranges" (
	"chain_id" bigint NOT NULL,
	"contract" text NOT NULL,
	"from_block" bigint NOT NULL,
	"to_block" bigint NOT NULL,
	CONSTRAINT "unproven_ranges_chain_id_contract_from_block_pk" PRIMARY KEY("chain_id","contract","from_block")
);
