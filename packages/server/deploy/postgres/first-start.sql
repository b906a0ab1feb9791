-- Run by psql when the container of compose.yaml creates its database, after roles.sql.
\set owner `cat /run/secrets/owner-password`
\set server `cat /run/secrets/server-password`
ALTER ROLE tradepost_owner PASSWORD :'owner';
ALTER ROLE tradepost_server PASSWORD :'server';
-- Which statements take the time.
CREATE EXTENSION pg_stat_statements;
