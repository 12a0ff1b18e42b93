import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext, test } from 'node:test'
import { timeStampSuite } from '@countersign/conformance/time-stamps'
import { readTimeStamp } from '@countersign/core/evidence'
import { unsignedTimeStamp } from '@countersign/core/testing'
import { createTransport, nodeRandom, timeStampAuthority } from '@countersign/node'
import { httpsEndpoint, loopbackTransport } from './egress/endpoint.ts'

const digest = Uint8Array.from({ length: 32 }, (_, at) => at)
const hex = Buffer.from(digest).toString('hex')
const now = Date.UTC(2026, 0, 1)
const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'needs openssl'

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The test that runs, whose end closes what was opened. */
let running: TestContext

/** An authority on loopback that answers what `answer` makes of a request. */
async function authorityOf(
  t: TestContext,
  answer: (request: Buffer, response: ServerResponse) => Uint8Array,
) {
  const { url } = await httpsEndpoint(t, async (request, response) => {
    assert.equal(request.headers['content-type'], 'application/timestamp-query')
    const body = answer(await bodyOf(request), response)
    response.end(body)
  })
  return timeStampAuthority({ url, transport: loopbackTransport(t), random: nodeRandom() })
}

const nonceIn = (request: Buffer) => request.subarray(-11, -3)
const digestIn = (request: Buffer) => request.subarray(24, 56)

/** `openssl ts` with a certificate that it has signed itself. */
function opensslAuthority(t: TestContext) {
  const cwd = mkdtempSync(join(tmpdir(), 'countersign-authority-'))
  t.after(() => rmSync(cwd, { recursive: true, force: true }))
  const run = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd, encoding: 'utf8' })
    assert.equal(status, 0, `openssl ${args.join(' ')}: ${stderr}`)
  }
  writeFileSync(join(cwd, 'req.cnf'), '[req]\ndistinguished_name = name\n[name]\n')
  writeFileSync(
    join(cwd, 'tsa.cnf'),
    '[tsa]\ndefault_tsa = t\n[t]\nserial = ./serial\nsigner_digest = sha256\ndefault_policy = 1.2.3\ndigests = sha256\n',
  )
  writeFileSync(join(cwd, 'serial'), '01')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key']
  const use = ['-addext', 'extendedKeyUsage=critical,timeStamping']
  run('req', '-x509', ...key, '-config', 'req.cnf', '-subj', '/CN=W', ...use, '-out', 'cert.pem')
  return {
    answer(request: Buffer): Uint8Array {
      writeFileSync(join(cwd, 'query'), request)
      const by = ['-signer', 'cert.pem', '-inkey', 'key']
      run('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query', ...by, '-out', 'reply')
      return readFileSync(join(cwd, 'reply'))
    },
    verify(answer: Uint8Array): void {
      writeFileSync(join(cwd, 'reply'), answer)
      run('ts', '-verify', '-digest', hex, '-in', 'reply', '-CAfile', 'cert.pem')
    },
  }
}

const stampFor =
  (of: (request: Buffer) => Uint8Array, status = '00') =>
  (request: Buffer) =>
    unsignedTimeStamp(of(request), now, { status, nonce: [nonceIn(request)] })
const onLoopback = (answer: Parameters<typeof authorityOf>[1]) => () => authorityOf(running, answer)

timeStampSuite({
  test: (name, options, run) =>
    test(name, options, async (t) => {
      running = t
      await run()
    }),
  create: onLoopback(stampFor(digestIn)),
  readStamp: readTimeStamp,
  failing: {
    'grants none': onLoopback(stampFor(digestIn, '02')),
    'stamps something else': onLoopback(stampFor(() => new Uint8Array(32))),
    'answers no stamp': onLoopback(() => new Uint8Array(9)),
    'is out of order': onLoopback((request, response) => {
      response.statusCode = 503
      return stampFor(digestIn)(request)
    }),
    'is out of reach': async () =>
      timeStampAuthority({
        url: 'https://hook.localhost:1/',
        transport: loopbackTransport(running),
        random: nodeRandom(),
      }),
  },
  now: () => now,
})

describe('an authority that is asked over http', () => {
  it('is understood by `openssl ts`, and its answer verifies', { skip: noOpenssl }, async (t) => {
    const { answer, verify } = opensslAuthority(t)
    const authority = await authorityOf(t, answer)
    const stamp = await authority.stamp(digest)
    assert.equal(readTimeStamp(stamp)?.digest, hex)
    verify(stamp)
  })

  it('is asked with another nonce each time, of 8 bytes', async (t) => {
    const nonces = new Set<string>()
    const authority = await authorityOf(t, (request) => {
      nonces.add(nonceIn(request).toString('hex'))
      assert.deepEqual([...request.subarray(24, 56)], [...digest])
      return unsignedTimeStamp(digest, now, { nonce: [nonceIn(request)] })
    })
    for (let times = 0; times < 20; times++) await authority.stamp(digest)
    assert.equal(nonces.size, 20)
    for (const nonce of nonces) assert.match(nonce, /^[4-7][0-9a-f]{15}$/)
  })

  it('is refused where it answers for something else, again, in part, or not at all', async (t) => {
    const replayed = unsignedTimeStamp(digest, now, { nonce: [Uint8Array.of(0x40, 1)] })
    const other = new Uint8Array(32)
    const answers: Readonly<
      Record<string, (request: Buffer, response: ServerResponse) => Uint8Array>
    > = {
      'a stamp of 0{64}': (request) => unsignedTimeStamp(other, now, { nonce: [nonceIn(request)] }),
      'nonce 4001:': () => replayed,
      'nonce null:': () => unsignedTimeStamp(digest, now),
      'grant no stamp': (request) =>
        unsignedTimeStamp(digest, now, { status: '02', nonce: [nonceIn(request)] }),
      'answered status 503': (request, response) => {
        response.statusCode = 503
        return unsignedTimeStamp(digest, now, { nonce: [nonceIn(request)] })
      },
      'with over 65536 bytes': () => new Uint8Array(70_000),
    }
    for (const [error, answer] of Object.entries(answers)) {
      const authority = await authorityOf(t, answer)
      await assert.rejects(authority.stamp(digest), new RegExp(error))
    }
    const transport = createTransport()
    t.after(() => transport.close())
    const inside = timeStampAuthority({
      url: 'https://127.0.0.1/',
      transport,
      random: nodeRandom(),
    })
    await assert.rejects(inside.stamp(digest), /was not reached: /)
  })
})
