import { afterAll } from "bun:test";
import { stopTestCluster } from "./testCluster";

afterAll(stopTestCluster);
