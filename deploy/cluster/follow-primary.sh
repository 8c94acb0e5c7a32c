#!/bin/bash
# The replica of compose.yaml: a copy of the primary's data is made the first time, and followed from then on.
set -euo pipefail
if [ ! -s "${PGDATA}/PG_VERSION" ]; then
    install --directory --owner postgres --group postgres --mode 0700 "${PGDATA}"
    PGPASSWORD="${POSTGRES_PASSWORD}" gosu postgres pg_basebackup --pgdata "${PGDATA}" --write-recovery-conf \
        --checkpoint fast --wal-method stream --host primary --username "${POSTGRES_USER}"
fi
exec docker-entrypoint.sh postgres -c hot_standby_feedback=on -c wal_retrieve_retry_interval=500ms
