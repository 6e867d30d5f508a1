/** A statement of the interface that the service was ordered with, and what shows that it holds. */
export type Statement = { says: string; by: Shown | { reason: string } };
/** A test by the start of its title, or a part of it, in a file below the root. */
export type Shown = { file: string; title: string };

const api = (file: string, title: string): Shown => ({ file: `apps/api/src/${file}`, title });
const own = (title: string): Shown => ({ file: "test/interface/interface.test.ts", title });
const prepares = (title: string): Shown => api("operations/prepare/prepares.test.ts", title);
const operations = (title: string): Shown => api("operations/operations.test.ts", title);
const catalog = api("operations/service/catalog.test.ts", "it ships with the default chain, version 3");
const golden = api("operations/service/catalog.test.ts", "the catalog equals the golden file");
const buckets = api("limits/buckets.test.ts", "takes one from each of its buckets and from no other");
const badInput = api("surfaces/rest/badInput.test.ts", "a refused request names the fault");
const history = api("history/historyFaults.test.ts", "a subgraph answers every route of history as the index does");

/** The sections of the interface, in its order, with every statement that it makes. */
export const statements: Readonly<Record<string, readonly Statement[]>> = {
  "What the service does": [
    {
      says: "reads return subscriptions, subscribers, accounts, tokens, fees, history and profiles",
      by: own("every read returns"),
    },
    { says: "writes are validated, simulated and returned unsigned", by: prepares("prepared, signed and broadcast") },
    {
      says: "the service holds no key, signs nothing, broadcasts nothing",
      by: own("no answer of a prepare is signed"),
    },
    {
      says: "the caller broadcasts to the chain in unsignedTransactions[].chainId",
      by: own("no answer of a prepare is signed"),
    },
    {
      says: "remit() is permissionless: the service prepares it and scans for it",
      by: operations("prepare/remit returns one bare remit()"),
    },
    {
      says: "the same capabilities are MCP tools",
      by: api("surfaces/mcp/parity.test.ts", "gives the same result or the same error over REST and MCP"),
    },
    {
      says: "MCP tools select a chain by chainId, default 8453, whatever REST's default is",
      by: api("surfaces/mcp/selectChain.test.ts", "it is the default, whatever the default of REST is"),
    },
    {
      says: "REST's ?chainId= does not select the chain of a tool",
      by: api("surfaces/mcp/hostile.test.ts", "a chainId in the URL selects nothing here"),
    },
    {
      says: "the /api prefix is optional",
      by: api("surfaces/rest/badInput.test.ts", "the /api prefix is accepted on every path"),
    },
    { says: "the route list of the catalog carries /api", by: own("the catalog has its fields") },
  ],
  "Subscribe workflow": [
    {
      says: "readiness confirms allowance, balance and rules",
      by: api("operations/prepare/refusals.test.ts", "all refused rules are issues"),
    },
    {
      says: "prepare returns subscribe, and an approve where the allowance is too low",
      by: prepares("subscribe from nothing"),
    },
    { says: "the wallet in from signs", by: own("no answer of a prepare is signed") },
    {
      says: "the status is polled with the same chainId",
      by: operations("a mined remit is found with its decoded events"),
    },
    {
      says: "with a low allowance signingMode is eip5792, approve and subscribe as one batch",
      by: prepares("subscribe from nothing"),
    },
    {
      says: "the approve is the amount, or unlimited with infiniteApproval",
      by: prepares("an allowance of one period is raised with infiniteApproval"),
    },
    { says: "the subscriber must hold enough of the token", by: api("operations/prepare/refusals.test.ts", "$what") },
    { says: "the subscriber must approve the contract", by: prepares("subscribe from nothing") },
  ],
  "Remit workflow": [
    {
      says: "check, prepare, sign, broadcast, repeat until caught up",
      by: api("surfaces/mcp/runs.test.ts", "settles the whole backlog by tools alone"),
    },
    {
      says: "one remit() clears at most maxRemits payments",
      by: { file: "test/recorded/scenarios.test.ts", title: "all 120 scenarios with their 927 plans" },
    },
    {
      says: "GET /subscriptions/due reads a single day",
      by: operations("a date and its day number give the same answer"),
    },
    {
      says: "check_remit_readiness is a scan of many days",
      by: operations("check_remit_readiness returns the plan that polling returns"),
    },
  ],
  Resources: [
    {
      says: "a subscription is created from from, amount, token, details, frequency and dueDay",
      by: prepares("create_subscription; the id is null before"),
    },
    {
      says: "amount is in whole tokens, as a decimal string",
      by: prepares("create_subscription; the id is null before"),
    },
    { says: "details.url and details.description may be empty", by: own("a subscription without texts is prepared") },
    {
      says: "frequency is 0 weekly, 1 monthly, 2 quarterly, 3 yearly",
      by: prepares("the answer begins with a sentence"),
    },
    { says: "each required field is required", by: own("each field of a new subscription is required") },
    {
      says: "id is hex; amount, token and provider are loaded from the chain by it",
      by: api("operations/reads.test.ts", "has its amount in whole tokens and token units"),
    },
    { says: "cancelled, provider and token filter a search", by: history },
    {
      says: "subscribers are listed, each with its fee balance by address",
      by: api("operations/reads.test.ts", "have the fee balance that is read for one address"),
    },
    {
      says: "an approved token has minimum and paused",
      by: api("operations/reads.test.ts", "are listed as the protocol has them"),
    },
    { says: "the protocol state has the fee configuration", by: own("every read returns") },
    {
      says: "an account has subscribedTo and created",
      by: api("operations/reads.test.ts", "list what was created and what was subscribed to"),
    },
    { says: "current details are url and description of the latest entry", by: own("every read returns") },
    {
      says: "an event has eventName, amount, amountRaw, tokenDecimals, formattedTimestamp, formattedAmount",
      by: own("every read returns"),
    },
    { says: "a registry entry has chainId, caip2, name, rest, mcp, default", by: own("the catalog has its fields") },
    { says: "an unsigned transaction has to, data, value, chainId, from", by: own("no answer of a prepare is signed") },
    {
      says: "a rate-limit error has code, lane, upgradeHint",
      by: api("identity/lanes.test.ts", "counts by the client's address; a refusal names the bucket"),
    },
    { says: "the registry ships with 8453, open to REST and MCP, as the default", by: catalog },
  ],
  "Prepare response": [
    {
      says: "it has requestId, instructions, warnings, unsignedTransactions, signingMode, simulation, chainId, gasEstimates, gasSummary, preflight",
      by: own("a prepare has the fields of the interface"),
    },
    { says: "requestId is a UUID and is not stored", by: own("a prepare has the fields of the interface") },
    { says: "instructions are ordered", by: own("a prepare has the fields of the interface") },
    { says: "eip5792 is there when signingMode is, over MCP too", by: own("a batch has eip5792 over REST and MCP") },
    {
      says: "gas is per transaction, with totals",
      by: api("operations/prepare/gasAndRoundTrips.test.ts", "each transaction has a gas limit above its use"),
    },
    { says: "a backlog has backlogMultiplier", by: operations("prepare/remit returns one bare remit()") },
    {
      says: "readinessOnly returns no transactions and no gas",
      by: prepares("readinessOnly returns the preflight and nothing to sign"),
    },
    {
      says: "a failed simulation is an error without transactions",
      by: api("operations/prepare/oddTokens.test.ts", "a refusal by the token alone is 422 with its reason"),
    },
  ],
  States: [
    {
      says: "a provider cancels, a subscriber leaves, a provider removes",
      by: prepares("unsubscribe_by_provider and unsubscribe_by_provider_by_id give"),
    },
    { says: "cancelled is a flag, false by default in a search", by: history },
  ],
  "Endpoints, general rules": [
    { says: "reads are GET, writes are POST with JSON", by: own("reads are GET and writes are POST") },
    {
      says: "chainId is a query parameter and never a body field",
      by: api("surfaces/rest/badInput.test.ts", "a chainId in the body and an unknown one"),
    },
    {
      says: "chainId is decimal or CAIP-2",
      by: api("surfaces/mcp/parity.test.ts", "the chain of a call is checked the same way over REST and MCP"),
    },
    { says: "without chainId DEFAULT_REST_CHAIN_ID applies, 8453 as shipped", by: catalog },
    { says: "an unknown, malformed or REST-disabled chainId is 400 VALIDATION_ERROR on any path", by: badInput },
    {
      says: "the catalog is not filtered by chain; it has chainId and chains[]",
      by: own("the catalog has its fields"),
    },
    {
      says: "the wallet is connected to the chain of the response",
      by: { reason: "what a caller does; the first instruction of a prepare names the chain" },
    },
  ],
  "Read endpoints": [
    { says: "each of the seventeen paths answers", by: own("every read returns") },
    { says: "search takes provider, token, frequency, cancelled, includeDetails, first, skip", by: history },
    {
      says: "first is at most 10 on the free lane and 25 with a key; includeDetails needs a key",
      by: api("operations/history/applySearchRules.test.ts", "first may be as high as the rules allow"),
    },
    {
      says: "includeDetails is refused on the free lane",
      by: api("history/historyFaults.test.ts", "search enforces the rules of the lane"),
    },
    {
      says: "bySubscriber selects what was subscribed to, default what was created",
      by: api("operations/reads.test.ts", "list what was created and what was subscribed to"),
    },
    { says: "history takes first and skip", by: history },
    { says: "subgraph-backed reads use the expensive bucket and the daily cap", by: buckets },
    {
      says: "a source that fails answers 200 with error",
      by: api("history/historyFaults.test.ts", "a database that fails leaves the four reads of history empty"),
    },
    {
      says: "a source that is not built answers 200 with error",
      by: api("history/historyFaults.test.ts", "without an index /status is degraded"),
    },
    { says: "there is no GraphQL proxy", by: golden },
  ],
  "Write endpoints": [
    {
      says: "each of the fifteen paths answers",
      by: { file: "test/e2e/everyExample.test.ts", title: "the example of each operation, sent to a chain" },
    },
    {
      says: "simulateFromAddress changes gas estimates alone",
      by: operations("simulateFromAddress changes the gas estimate and nothing else"),
    },
    { says: "gas is never below what from needs", by: prepares("gas is never below what from needs") },
    {
      says: "infiniteApproval is for subscribing alone",
      by: own("infiniteApproval is refused where nothing is approved"),
    },
    {
      says: "the named tools exist, and prepare_* match the routes",
      by: api("surfaces/mcp/tools.test.ts", "finds the tools that the interface names"),
    },
  ],
  "Catalog response": [
    {
      says: "version is 3, with chains, pathNote, access, apiEnabled, developerKeysEnabled and routes",
      by: own("the catalog has its fields"),
    },
    { says: "a route has method, path and description", by: golden },
    { says: "access has auth and limits of both lanes, and the management of keys", by: golden },
    { says: "the limits have six fields", by: catalog },
  ],
  Authentication: [
    {
      says: "without credentials a client is free, by its address",
      by: api("identity/lanes.test.ts", "counts by the client's address"),
    },
    {
      says: "a key is sent as Bearer and is the identity of its limits",
      by: api("identity/lanes.test.ts", "counts by the key, from any address"),
    },
    {
      says: "a key begins with a prefix and an underscore",
      by: api("identity/keyText.test.ts", "a key has the documented form"),
    },
    {
      says: "an invalid or revoked key is 401 and never the free lane",
      by: api("identity/lanes.test.ts", "a mistyped, unknown, malformed or foreign credential is 401"),
    },
    { says: "a revoked key is refused", by: api("identity/lanes.test.ts", "a revoked key is refused") },
    {
      says: "X-Service-Lane names the lane",
      by: api("identity/lanes.test.ts", "names lane, request and rules for browsers"),
    },
    {
      says: "REST and MCP share the buckets of a key",
      by: api("surfaces/mcp/buckets.test.ts", "a key is counted in the same buckets over REST and MCP"),
    },
    {
      says: "no wallet key is held",
      by: { reason: "nothing takes one; the secrets test and the schemas of all inputs show what is accepted" },
    },
    {
      says: "keys are created, listed by subjectId and revoked with admin authentication in two forms",
      by: api("operations/keys/keys.test.ts", "a key is created, listed without its text"),
    },
  ],
  Events: [{ says: "history reads have SubLog events with eventName, and details", by: history }],
  Errors: [
    { says: "a wrong chainId is 400 VALIDATION_ERROR", by: badInput },
    {
      says: "a wrong key is 401",
      by: api("identity/lanes.test.ts", "a mistyped, unknown, malformed or foreign credential is 401"),
    },
    {
      says: "a limit is 429 RATE_LIMITED with Retry-After and X-Service-Lane",
      by: api("identity/lanes.test.ts", "a request sent at Retry-After is admitted"),
    },
    {
      says: "a failed simulation has no unsigned transactions",
      by: api("operations/prepare/oddTokens.test.ts", "a refusal by the token alone is 422 with its reason"),
    },
    {
      says: "a failed history read has error",
      by: api("history/historyFaults.test.ts", "a subgraph that fails, or returns malformed data"),
    },
  ],
  Limits: [
    { says: "the figures of both lanes are those of the table", by: catalog },
    {
      says: "the catalog shows the figures in force",
      by: api("identity/lanes.test.ts", "the catalog shows the limits in force"),
    },
    {
      says: "tools use the same figures",
      by: api("surfaces/mcp/buckets.test.ts", "a tool call takes one from the buckets of its operation"),
    },
    { says: "global, expensive and subgraph limits cover the paths of the table", by: buckets },
    { says: "prepares and checks use the write limits", by: buckets },
    {
      says: "check_subscribe_readiness_by_id is a write over MCP and none over REST",
      by: api("surfaces/mcp/buckets.test.ts", "check_subscribe_readiness_by_id costs a write over MCP"),
    },
    {
      says: "the day counts every request and call, those that are refused for chainId or key too",
      by: api("limits/buckets.test.ts", "a request that is refused before its route counts"),
    },
    {
      says: "beyond a limit a request is 429",
      by: api("limits/buckets.test.ts", "a client that has used up its day is refused everywhere"),
    },
    {
      says: "deployments may add protections at the edge",
      by: { reason: "a matter of the deployment; docs/operating.md has proxies" },
    },
  ],
  Versioning: [
    { says: "the catalog reports version 3", by: catalog },
    {
      says: "the main host omits /api and legacy hosts keep it",
      by: api("surfaces/rest/badInput.test.ts", "the /api prefix is accepted on every path"),
    },
    {
      says: "chains are added by entries of the registry, without another request shape",
      by: api("surfaces/mcp/selectChain.test.ts", "with 8453 among the chains"),
    },
  ],
};
