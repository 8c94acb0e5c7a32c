#!/bin/bash
# Run once by the image of the primary, when its data are made: the replica may follow with the same password.
set -euo pipefail
echo "host replication ${POSTGRES_USER} all scram-sha-256" >> "${PGDATA}/pg_hba.conf"
