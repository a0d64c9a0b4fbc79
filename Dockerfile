FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
COPY sandbox sandbox
RUN npm run build

# The shop of the demo for a real Loki and Prometheus; see testdata/README.md.
FROM build AS sample-app
USER node
EXPOSE 9101
ENTRYPOINT ["node", "scripts/sample-app.mjs"]

FROM node:24-slim
# One file runs; nothing in the image can install another.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
COPY --from=build /build/dist/grafana-mcp-gateway.mjs /app/grafana-mcp-gateway.mjs
COPY LICENSE /app/
ENV NODE_ENV=production
USER node
WORKDIR /app
EXPOSE 8080
# Without a shell. Over HTTPS the certificate names a public host, so it is not verified on the way to this very process.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["node", "-e", "const e = process.env; const tls = e.GATEWAY_TLS_CERT_FILE; require(tls ? 'https' : 'http').get({ host: '127.0.0.1', port: e.GATEWAY_PORT || 8080, path: '/healthz', rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "/app/grafana-mcp-gateway.mjs"]
CMD ["serve"]
