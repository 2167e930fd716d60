# A throw-away PostgreSQL: made, run, and removed when whoever started it is gone, however that went.
#   cluster.sh BIN PORT
set -eu
bin=$1 port=$2
dir=$(mktemp -d /tmp/antefix-postgres-XXXXXX)
trap '"$bin/pg_ctl" -D "$dir/cluster" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
cd "$dir"
echo secret >password
"$bin/initdb" -D cluster --no-sync --username=postgres --pwfile=password --encoding=UTF8 --locale=C \
    --auth-local=trust --auth-host=scram-sha-256 >initdb.log 2>&1 || { cat initdb.log; exit 1; }
# Small, but as durable as any: what was acknowledged must survive.
cat >>cluster/postgresql.conf <<END
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$dir'
max_connections = 120
shared_buffers = 16MB
fsync = on
synchronous_commit = on
jit = off
autovacuum = off
END
"$bin/pg_ctl" -D cluster -l server.log -w start >start.log 2>&1 || { cat start.log server.log; exit 1; }
echo "ready $dir"
cat >/dev/null
