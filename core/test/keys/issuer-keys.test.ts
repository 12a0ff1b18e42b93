import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import type { Sealer } from '../../base/ports/secrets.ts'
import { commit, createLedger, refusal } from '../../kernel/ledger/ledger.ts'
import { one, put } from '../../kernel/ledger/reads.ts'
import { createIssuerKeys, ringOf } from '../../keys/issuer-keys.ts'
import { issuerKeyRings } from '../../keys/records.ts'
import { portablePrimitives } from '../../proof/signing/portable.ts'
import {
  createManualClock,
  createMemoryStore,
  plainSealer,
  seededRandom,
} from '../../testing/index.ts'

const start = Date.UTC(2026, 10, 21, 8, 0, 0)
const day = 86_400_000
const message = new TextEncoder().encode('{"a":1}')

function fixture() {
  const store = createMemoryStore({ collections: [issuerKeyRings as never], logs: [] })
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random: seededRandom(1) })
  const opened: string[] = []
  const plain = plainSealer()
  const sealer: Sealer = {
    ...plain,
    open: (sealed, context) => {
      opened.push(context)
      return plain.open(sealed, context)
    },
  }
  const keys = createIssuerKeys({ ledger, sealer, primitives: portablePrimitives })
  const startRotation = (tenantId: string) =>
    ledger.execute<null>(tenantId, async (unit) => {
      const [found] = await unit.read([ringOf(tenantId)])
      const ring = one(issuerKeyRings, found)
      assert.ok(ring)
      const next = keys.rotated(unit, ring.row)
      return next.ok
        ? commit({ puts: [put(issuerKeyRings, next.value, ring)] }, null)
        : refusal(next)
    })
  return { store, clock, ledger, keys, opened, startRotation }
}

async function keySet(keys: ReturnType<typeof fixture>['keys'], tenantId: string, now: number) {
  const set = await keys.keySet(tenantId, now)
  assert.ok(set.ok)
  return set.value.keys
}

test('a tenant without keys gets one key, however many ask at once', async () => {
  const { keys, store, clock } = fixture()
  const all = await Promise.all(
    Array.from({ length: 20 }, () => keys.signers('ten_1', clock.now())),
  )
  assert.deepEqual(new Set(all.map(({ version }) => version)), new Set([1]))
  assert.equal(store.rows(issuerKeyRings).length, 1)

  const other = fixture()
  const raced = await Promise.all(
    Array.from({ length: 5 }, () => {
      const { ledger } = other
      const own = createIssuerKeys({
        ledger,
        sealer: plainSealer(),
        primitives: portablePrimitives,
      })
      return own.signers('ten_1', start)
    }),
  )
  const publicKeys = raced.map(({ keys: [key] }) =>
    Buffer.from(key?.publicKey ?? []).toString('hex'),
  )
  assert.equal(new Set(publicKeys).size, 1)
})

test('what signs verifies under the published JWK, by node:crypto', async () => {
  const { keys, clock } = fixture()
  const { keys: signers } = await keys.signers('ten_1', clock.now())
  const [jwk] = await keySet(keys, 'ten_1', clock.now())
  assert.ok(jwk)
  assert.deepEqual(
    { ...jwk, x: '' },
    { kty: 'OKP', crv: 'Ed25519', x: '', kid: '1', use: 'sig', alg: 'EdDSA' },
  )
  assert.match(jwk.x, /^[\w-]{43}$/)
  const signature = signers[0]?.sign('id.1.', message)
  assert.ok(signature)
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' })
  assert.ok(verify(null, Buffer.concat([Buffer.from('id.1.'), message]), key, signature))
})

test('a ring is opened once a version, and read again after an hour', async () => {
  const { keys, clock, opened, startRotation } = fixture()
  await keys.signers('ten_1', clock.now())
  for (let i = 0; i < 10; i++) assert.ok(!(keys.signers('ten_1', clock.now()) instanceof Promise))
  assert.equal(opened.length, 1)
  await clock.advance(3_600_000)
  const again = keys.signers('ten_1', clock.now())
  assert.ok(again instanceof Promise)
  await again
  assert.equal(opened.length, 1)

  await startRotation('ten_1')
  await clock.advance(3_600_000)
  assert.equal((await keys.signers('ten_1', clock.now())).version, 1)
  assert.equal(opened.length, 3)
  await clock.advance(day)
  const both = await keys.signers('ten_1', clock.now())
  assert.deepEqual([both.version, both.keys.length], [2, 2])
  await clock.advance(day)
  const after = await keys.signers('ten_1', clock.now())
  assert.deepEqual([after.version, after.keys.length], [2, 1])
})

test('a sealed seed opens for its own tenant and version alone', async () => {
  const { keys, store } = fixture()
  await keys.signers('ten_1', start)
  await keys.signers('ten_2', start)
  const [one, two] = store.rows(issuerKeyRings)
  const foreign = one?.row.keys[0]?.sealed
  assert.ok(two && foreign)
  const moved = { ...two.row, keys: two.row.keys.map((key) => ({ ...key, sealed: foreign })) }
  await store.commit({ tenant: 'ten_2', puts: [put(issuerKeyRings, moved, two)] })
  await assert.rejects(async () => keys.signers('ten_2', start + day), /does not open/)
})

test('no seed lies in the store as it is', async () => {
  const { keys, store, ledger } = fixture()
  const seeds: string[] = []
  const noting = createIssuerKeys({
    ledger,
    sealer: plainSealer(),
    primitives: {
      ...portablePrimitives,
      ed25519Signer: (seed) => {
        seeds.push(Buffer.from(seed).toString('hex'))
        return portablePrimitives.ed25519Signer(seed)
      },
    },
  })
  await keys.signers('ten_1', start)
  await noting.signers('ten_1', start)
  const dump = store
    .rows(issuerKeyRings)
    .flatMap(({ row }) => row.keys.map(({ sealed }) => Buffer.from(sealed ?? []).toString('hex')))
    .join()
  assert.ok(seeds[0] && !dump.includes(seeds[0]))
})

test('a tenant without a key set is unknown', async () => {
  const { keys } = fixture()
  const set = await keys.keySet('ten_9', start)
  assert.ok(!set.ok && set.refusal.code === 'not_found')
})
