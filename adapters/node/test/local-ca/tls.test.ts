import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import { type AddressInfo, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ensureLocalCa, type KeyAndCert } from '@countersign/node/local-ca'
import { Agent, fetch } from 'undici'
import { makeAuthority, makeServerCert } from '../../local-ca/certificate.ts'
import { scratch } from './scratch.ts'

const day = 24 * 60 * 60 * 1000
const now = Date.now()
const loopback = ['localhost', '127.0.0.1', '::1']

/** The port of a server that answers every request, with that certificate. */
async function listen(t: TestContext, pair: KeyAndCert, host = '127.0.0.1'): Promise<number> {
  const server = createServer(pair, (_, response) => response.end('hello'))
  t.after(() => server.close())
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** The status of the answer, or the code of the error, where Node knows one; `host` is the name that the certificate must carry. */
function get(port: number, ca: string, host: string, address = '127.0.0.1'): Promise<unknown> {
  return new Promise((resolve) => {
    const options = {
      host: address,
      port,
      ca,
      servername: isIP(host) ? '' : host,
      agent: false,
    }
    const headers = { host, connection: 'close' }
    request({ ...options, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', ({ code, message }: NodeJS.ErrnoException) =>
        resolve(code === 'UNSPECIFIED' ? message : code),
      )
      .end()
  })
}

test('node:https and undici trust the server by the authority of its file, and by nothing else', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const port = await listen(t, await ca.certFor(loopback))
  const trusted = await readFile(ca.caFile, 'utf8')
  assert.equal(await get(port, trusted, 'localhost'), 200)
  assert.equal(await get(port, trusted, '127.0.0.1'), 200)

  const dispatcher = new Agent({ connect: { ca: trusted } })
  t.after(() => dispatcher.close())
  const answer = await fetch(`https://localhost:${port}/`, { dispatcher })
  assert.equal(await answer.text(), 'hello')
  await assert.rejects(fetch(`https://localhost:${port}/`), (error: TypeError) => {
    assert.match(String((error.cause as NodeJS.ErrnoException).code), /^UNABLE_TO_VERIFY_LEAF/)
    return true
  })
})

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)

test('the IPv6 loopback address is covered', {
  skip: hasIpv6 ? false : 'no ::1 here',
}, async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const port = await listen(t, await ca.certFor(loopback), '::1')
  assert.equal(await get(port, await readFile(ca.caFile, 'utf8'), '::1', '::1'), 200)
})

test('a certificate of other names is refused', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const port = await listen(t, await ca.certFor(['localhost']))
  const trusted = await readFile(ca.caFile, 'utf8')
  assert.equal(await get(port, trusted, 'localhost'), 200)
  assert.equal(await get(port, trusted, '127.0.0.1'), 'ERR_TLS_CERT_ALTNAME_INVALID')
  assert.equal(await get(port, trusted, 'app.localhost'), 'ERR_TLS_CERT_ALTNAME_INVALID')
})

test('an expired certificate is refused', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now: now - 91 * day })
  const port = await listen(t, await ca.certFor(loopback))
  assert.equal(await get(port, await readFile(ca.caFile, 'utf8'), 'localhost'), 'CERT_HAS_EXPIRED')
})

test('a certificate that is not valid yet is refused', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const [trusted, later] = [await readFile(ca.caFile, 'utf8'), now + 10 * day]
  const port = await listen(t, await signedBy(ca.caFile, ['localhost'], later))
  assert.equal(await get(port, trusted, 'localhost'), 'CERT_NOT_YET_VALID')
})

test('another authority and a self-signed certificate are refused', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const trusted = await readFile(ca.caFile, 'utf8')
  const other = await ensureLocalCa(scratch(t), { now })
  const foreign = await listen(t, await other.certFor(loopback))
  // Of the same name, so what fails is the signature or the identifier of the key.
  assert.match(
    String(await get(foreign, trusted, 'localhost')),
    /^UNABLE_TO_(VERIFY_LEAF|GET_ISSUER)|^CERT_SIGNATURE/,
  )
  const { key, cert } = await other.certFor(loopback)
  const chain = await listen(t, { key, cert: cert + (await readFile(other.caFile, 'utf8')) })
  assert.equal(await get(chain, trusted, 'localhost'), 'SELF_SIGNED_CERT_IN_CHAIN')
  const selfSigned = makeAuthority('localhost', { from: now - day, until: now + day })
  assert.equal(await get(await listen(t, selfSigned), trusted, 'localhost'), 'INVALID_PURPOSE')
})

test('what leaks with the key of the authority is loopback alone', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const trusted = await readFile(ca.caFile, 'utf8')
  for (const name of ['example.com', 'localhost.example.com', '10.0.0.1', '128.0.0.1']) {
    const port = await listen(t, await signedBy(ca.caFile, [name], now))
    assert.equal(await get(port, trusted, name), 'permitted subtree violation', name)
  }
})

/** A certificate by the authority's own key, past the checks of `certFor`. */
async function signedBy(
  caFile: string,
  names: readonly string[],
  from: number,
): Promise<KeyAndCert> {
  const pem = await readFile(join(caFile, '..', 'authority-1.pem'), 'utf8')
  const issuer = { name: 'Countersign local authority', key: createPrivateKey(pem) }
  return makeServerCert(names, issuer, { from, until: from + day })
}
