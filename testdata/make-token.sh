#!/bin/sh
# Makes a service account in Grafana and leaves its token in TOKEN_FILE, once. Needs curl and no more.
set -eu
if [ -s "$TOKEN_FILE" ]; then
  # The volume outlives Grafana's database: a token that Grafana does not know is made anew.
  known=$(curl -sS -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $(cat "$TOKEN_FILE")" "$GRAFANA_URL/api/org")
  [ "$known" = 401 ] || exit 0
fi
api() { curl -sS --fail-with-body -u "admin:$GRAFANA_ADMIN_PASSWORD" -H 'Content-Type: application/json' "$@"; }
id_of() { sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p' | head -n 1; }
base="$GRAFANA_URL/api/serviceaccounts"
id=$(api "$base/search?query=mcp-gateway" | id_of)
[ -n "$id" ] || id=$(api -d '{"name":"mcp-gateway","role":"Viewer"}' "$base" | id_of)
key=$(api -d "{\"name\":\"compose-$(date +%s)\"}" "$base/$id/tokens" | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
[ -n "$key" ] || { echo 'Grafana gave no token.' >&2; exit 1; }
printf %s "$key" > "$TOKEN_FILE.new"
chmod 444 "$TOKEN_FILE.new"
mv "$TOKEN_FILE.new" "$TOKEN_FILE"
