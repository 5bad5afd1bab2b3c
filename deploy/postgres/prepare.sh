#!/bin/sh
# Runs once, when the server of compose.yaml starts on an empty volume: the database of Recollect,
# an owner that is no superuser, the role behind row-level security, and pgvector.
set -eu

psql --set ON_ERROR_STOP=1 --no-psqlrc \
    --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-postgres}" \
    --set password="$RECOLLECT_PASSWORD" <<'SQL'
CREATE ROLE recollect LOGIN PASSWORD :'password'
    NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
SELECT 'CREATE ROLE recollect_member NOLOGIN'
    WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'recollect_member') \gexec
GRANT recollect_member TO recollect;
CREATE DATABASE recollect OWNER recollect ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE recollect FROM PUBLIC;
\connect recollect
CREATE EXTENSION vector;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SQL
