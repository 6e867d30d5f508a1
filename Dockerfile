# Target `keeper`: the keeper alone, one program without Bun, the service or a package manager.
FROM oven/bun:1.4.4 AS keeper-build
WORKDIR /app
COPY . .
RUN bun install --frozen-lockfile --production --filter './apps/*' --filter './packages/*' && bun apps/keeper/tools/compile.ts /keeper

FROM debian:13.2-slim AS keeper
COPY --from=keeper-build /keeper /usr/local/bin/keeper
WORKDIR /tmp
USER 1000:1000
ENTRYPOINT ["/usr/local/bin/keeper"]

# The last target, and so the default: one image for every process of the service; compose.yaml sets the program of each.
FROM oven/bun:1.4.4 AS service
WORKDIR /app
COPY . .
# Includes the embedded PostgreSQL and anvil: `start` and the devnet profile use them. Leaves out what only tests and tools use.
RUN bun install --frozen-lockfile --production --filter './apps/*' --filter './packages/*'
# The web app and the API's bundle: the image is read-only when it runs.
RUN bun apps/web/tools/build.ts && bun apps/api/tools/build.ts
# The user bun, by its number: Kubernetes can check that it is not root. It can write to /tmp alone.
USER 1000:1000
ENV HOST=0.0.0.0 DATA_DIR=/tmp/dueday
CMD ["bun", "apps/local/src/start.ts"]
