#!/bin/sh
# Makes the certificates of the tests anew, valid for a hundred years: an authority, a server at 127.0.0.1 and service.test, a client.
set -e
cd "$(dirname "$0")"
days=36500
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days $days -subj "/CN=fxdesk test authority" \
  -keyout authority.key -out authority.pem
for name in server client; do
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=fxdesk test $name" \
    -keyout $name.key -out $name.csr
  printf "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:service.test\n" > $name.ext
  openssl x509 -req -in $name.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days $days \
    -extfile $name.ext -out $name.pem
done
openssl pkey -in client.key -aes256 -passout pass:canary-passphrase -out client-locked.key
openssl pkcs12 -export -in client.pem -inkey client.key -passout pass:canary-passphrase -out client.pfx
rm -f authority.key *.csr *.ext *.srl
