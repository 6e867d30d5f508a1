import type { Operation } from "../operation";
import { createKey } from "./keys/createKey";
import { listKeys } from "./keys/listKeys";
import { revokeKey } from "./keys/revokeKey";
import { readProtocolState } from "./protocol/readProtocolState";
import { checkRemitReadiness, getRemitReadiness } from "./remit/getRemitReadiness";
import { prepareRemit } from "./remit/prepareRemit";
import { readCatalog } from "./service/readCatalog";
import { readRoot } from "./service/readRoot";
import { readStatus } from "./service/readStatus";
import { listDue } from "./subscriptions/listDue";
import { getTransactionStatus } from "./transactions/getTransactionStatus";

/** Everything the service can do. REST, OpenAPI and the catalog are made from this list, in this order. */
export const operations: readonly Operation[] = [
  readRoot,
  readStatus,
  readCatalog,
  readProtocolState,
  listDue,
  getRemitReadiness,
  checkRemitReadiness,
  prepareRemit,
  getTransactionStatus,
  createKey,
  listKeys,
  revokeKey,
];
