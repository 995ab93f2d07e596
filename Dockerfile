# The product alone, for any command: `docker run callsheet worker`, `callbacks`, `emulator`.
FROM node:22.20.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package runs anything while it is installed.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY emulator ./emulator
RUN node scripts/build.mjs && npm prune --omit=dev --ignore-scripts

FROM node:22.20.0-bookworm-slim
WORKDIR /app
# Every record waits for the disk on a thread of its own: with Node's four, reads queue behind ten slots' writes.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=24
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY scripts ./scripts
COPY bin ./bin
COPY examples ./examples
COPY LICENSE README.md ./
# Data of a run outside of buckets; a volume that is mounted here takes this owner.
RUN mkdir /work && chown node:node /work
USER node
VOLUME /work
ENTRYPOINT ["node", "/app/bin/callsheet.js"]
CMD ["--help"]
