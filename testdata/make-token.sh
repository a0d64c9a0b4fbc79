#!/bin/sh
# Makes a service account in Grafana and leaves its token in /tokens/gateway, once. Needs curl and no more.
set -eu
[ -s /tokens/gateway ] && exit 0
api() { curl -sS --fail-with-body -u "admin:$GRAFANA_ADMIN_PASSWORD" -H 'Content-Type: application/json' "$@"; }
id_of() { sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p' | head -n 1; }
base="$GRAFANA_URL/api/serviceaccounts"
id=$(api "$base/search?query=mcp-gateway" | id_of)
[ -n "$id" ] || id=$(api -d '{"name":"mcp-gateway","role":"Viewer"}' "$base" | id_of)
key=$(api -d "{\"name\":\"compose-$(date +%s)\"}" "$base/$id/tokens" | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
[ -n "$key" ] || { echo 'Grafana gave no token.' >&2; exit 1; }
printf %s "$key" > /tokens/gateway.new
chmod 444 /tokens/gateway.new
mv /tokens/gateway.new /tokens/gateway
