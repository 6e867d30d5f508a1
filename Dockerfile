# One image for every process; compose.yaml sets the program of each.
FROM oven/bun:1.4.4
WORKDIR /app
COPY . .
# Includes the embedded PostgreSQL and anvil: `start` and the devnet profile use them.
RUN bun install --frozen-lockfile
# The web app: the image is read-only when it runs.
RUN bun apps/web/tools/build.ts
# The user bun, by its number: Kubernetes can check that it is not root. It can write to /tmp alone.
USER 1000:1000
ENV HOST=0.0.0.0 DATA_DIR=/tmp/dueday
CMD ["bun", "apps/local/src/start.ts"]
