import { afterAll } from "bun:test";
import { stopTestCluster } from "@dueday/test-support/clusterOfProcess";

afterAll(stopTestCluster);
