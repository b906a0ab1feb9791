-- The two roles of Tradepost, in the schema public of the current database. Run it as a superuser, in each database; it may run again.
-- Passwords are set separately. docs/postgresql.md says who uses which role.

DO $$
BEGIN
  IF to_regrole('tradepost_owner') IS NULL THEN
    CREATE ROLE tradepost_owner LOGIN;
  END IF;
  IF to_regrole('tradepost_server') IS NULL THEN
    CREATE ROLE tradepost_server LOGIN;
  END IF;
END $$;

-- Owns the schema: for migrate and migrate-store.
ALTER SCHEMA public OWNER TO tradepost_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- Reads and writes rows, also of the tables of later migrations: for all other commands.
GRANT USAGE ON SCHEMA public TO tradepost_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tradepost_server;
ALTER DEFAULT PRIVILEGES FOR ROLE tradepost_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO tradepost_server;
-- Lists by time look for transactions in progress, also of the other role.
GRANT pg_read_all_stats TO tradepost_server;
