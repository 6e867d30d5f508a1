import { afterAll } from "bun:test";
import { stopTestCluster } from "@dueday/test-support/testCluster";

afterAll(stopTestCluster);
