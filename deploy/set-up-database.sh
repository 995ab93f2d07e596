#!/bin/sh
# Makes or updates Temporal's two databases; can be run again at any time. Needs temporal-sql-tool and the schema.
set -eu
schema=${TEMPORAL_SCHEMA:-/etc/temporal/schema/postgresql/v12}

tool() {
  temporal-sql-tool --plugin postgres12_pgx --endpoint "$POSTGRES_SEEDS" --port "${DB_PORT:-5432}" \
    --user "$POSTGRES_USER" "$@"
}

# The tool reads the password here, so that no process list shows it.
export SQL_PASSWORD="$POSTGRES_PWD"
for name in temporal visibility; do
  if [ "$name" = temporal ]; then database=temporal; else database=temporal_visibility; fi
  tool --database "$database" create-database
  # The first version is written once; what is newer follows.
  tool --database "$database" setup-schema --version 0.0 2>/dev/null || true
  tool --database "$database" update-schema --schema-dir "$schema/$name/versioned"
done
