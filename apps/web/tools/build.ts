import { buildApp } from "./buildApp";

process.stderr.write(`web app: ${await buildApp()}\n`);
