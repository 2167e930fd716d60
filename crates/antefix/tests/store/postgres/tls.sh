# An authority and a certificate for 127.0.0.1, both for a day.
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=authority -keyout ca.key -out ca.crt
openssl req -newkey rsa:2048 -nodes -subj /CN=server -keyout cluster/server.key -out server.csr
echo "subjectAltName=IP:127.0.0.1" >names
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 1 -extfile names -out cluster/server.crt
chmod 600 cluster/server.key
