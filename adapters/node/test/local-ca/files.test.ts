import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { scratch } from './scratch.ts'

const day = 24 * 60 * 60 * 1000
const now = Date.UTC(2026, 10, 21)
const names = ['localhost', '127.0.0.1', '::1']

test('a second start finds what the first made', async (t) => {
  const dir = scratch(t)
  const first = await ensureLocalCa(dir, { now })
  const authority = readFileSync(first.caFile, 'utf8')
  const pair = await first.certFor(names)
  const second = await ensureLocalCa(dir, { now: now + day })
  assert.equal(readFileSync(second.caFile, 'utf8'), authority)
  assert.deepEqual(await second.certFor(names), pair)
  assert.notDeepEqual(await second.certFor(['localhost']), pair)
})

test('keys are their owner’s alone, and no draft stays', async (t) => {
  const dir = join(scratch(t), 'below', 'ca')
  await (await ensureLocalCa(dir, { now })).certFor(names)
  assert.equal(statSync(dir).mode & 0o777, 0o700)
  const files = readdirSync(dir).sort()
  assert.equal(files.length, 3)
  assert.deepEqual(files.slice(0, 2), ['authority-1.pem', 'ca.crt'])
  for (const file of files) assert.equal(statSync(join(dir, file)).mode & 0o777, 0o600, file)
  assert.doesNotMatch(readFileSync(join(dir, 'ca.crt'), 'utf8'), /PRIVATE/)
})

test('first starts at the same time end with one authority', async (t) => {
  const dir = scratch(t)
  const starts = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      const ca = await ensureLocalCa(dir, { now: now + at })
      return { file: readFileSync(ca.caFile, 'utf8'), ...(await ca.certFor(names)) }
    }),
  )
  assert.equal(new Set(starts.map(({ file }) => file)).size, 1)
  const authority = new X509Certificate(starts[0]?.file ?? '')
  for (const { cert } of starts) assert.ok(new X509Certificate(cert).verify(authority.publicKey))
  assert.equal(readdirSync(dir).length, 3)
})

test('a certificate is renewed 30 days before its end, the authority 100 before its own', async (t) => {
  const dir = scratch(t)
  const at = async (days: number) => {
    const ca = await ensureLocalCa(dir, { now: now + days * day })
    return { authority: readFileSync(ca.caFile, 'utf8'), cert: (await ca.certFor(names)).cert }
  }
  const made = await at(0)
  assert.deepEqual(await at(59), made)
  const renewed = await at(60)
  assert.equal(renewed.authority, made.authority)
  assert.notEqual(renewed.cert, made.cert)
  assert.equal(Date.parse(new X509Certificate(renewed.cert).validTo), now + 150 * day)

  assert.equal((await at(3549)).authority, made.authority)
  const next = await at(3550)
  assert.notEqual(next.authority, made.authority)
  assert.ok(new X509Certificate(next.cert).verify(new X509Certificate(next.authority).publicKey))
})

test('a certificate of an authority that is gone is not used', async (t) => {
  const dir = scratch(t)
  const { cert } = await (await ensureLocalCa(dir, { now })).certFor(names)
  rmSync(join(dir, 'authority-1.pem'))
  const ca = await ensureLocalCa(dir, { now })
  const again = new X509Certificate((await ca.certFor(names)).cert)
  const authority = new X509Certificate(readFileSync(ca.caFile))
  assert.ok(again.verify(authority.publicKey))
  assert.ok(!new X509Certificate(cert).verify(authority.publicKey))
})

test('a certificate from the future, after a clock was set back, is made again', async (t) => {
  const dir = scratch(t)
  await (await ensureLocalCa(dir, { now: now + 30 * day })).certFor(names)
  const ca = await ensureLocalCa(dir, { now })
  const { validFrom } = new X509Certificate((await ca.certFor(names)).cert)
  assert.equal(Date.parse(validFrom), now - day)
})

test('names that are not of the loopback interface are refused', async (t) => {
  const ca = await ensureLocalCa(scratch(t), { now })
  const others = [
    'example.com',
    'localhost.com',
    'notlocalhost',
    '10.0.0.1',
    '::2',
    '',
    '*.localhost',
  ]
  for (const name of others)
    await assert.rejects(ca.certFor(['localhost', name]), (error: Error) => {
      assert.equal(
        error.message,
        `certFor expected localhost, a name below it, 127.0.0.0/8 or ::1, got '${name}'`,
      )
      return true
    })
  await assert.rejects(ca.certFor([]), /expected at least one name, got none/)
  await ca.certFor(['app.localhost', '127.8.9.1'])
})

test('a file that something damaged is named, with the remedy', async (t) => {
  const dir = scratch(t)
  const path = join(dir, 'authority-1.pem')
  await ensureLocalCa(dir, { now })
  const whole = readFileSync(path, 'utf8')
  const other = scratch(t)
  await ensureLocalCa(other, { now })
  const foreign = readFileSync(join(other, 'ca.crt'), 'utf8')
  const damaged = {
    'got 0 blocks': '',
    'got 1 blocks': whole.slice(0, whole.length / 2),
    'expected a private key and a certificate:': whole.replaceAll(/\n[^-]{8}/g, '\n!!!!!!!!'),
    'got that of another': whole.replace(/-----BEGIN CERT[\s\S]*/, foreign),
  }
  for (const [says, text] of Object.entries(damaged)) {
    writeFileSync(path, text)
    await assert.rejects(ensureLocalCa(dir, { now }), (error: Error) => {
      assert.ok(error.message.startsWith(path), error.message)
      assert.match(error.message, new RegExp(`${says}.*delete it, and a new one is made`))
      return true
    })
  }
})
