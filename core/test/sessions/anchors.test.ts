import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { anchorSuite } from '@countersign/conformance/anchors'
import { collections, logs, unwrap } from '@countersign/core'
import { createLedger } from '@countersign/core/ledger'
import { portablePrimitives } from '@countersign/core/signing'
import {
  createDelayedLedger,
  createManualClock,
  createMemoryStore,
  plainSealer,
  seededRandom,
} from '@countersign/core/testing'
import type { AnchorLedger } from '../../base/ports/anchor.ts'
import { anchors } from '../../content/seal-records.ts'
import { certificateOf } from '../../evidence/certificate.ts'
import { createEvidenceSigners } from '../../evidence/keys/evidence-keys.ts'
import { anchorHashOf } from '../../proof/commitment.ts'
import { localLedger } from '../../sessions/seal/local-ledger.ts'
import { createWorld, send, span, start } from './world.ts'

const minute = 60_000
const delayMs = 5 * minute

anchorSuite({
  test,
  create: async () => {
    const ports = {
      store: createMemoryStore({ collections, logs }),
      clock: createManualClock(start),
      random: seededRandom(1),
    }
    const signers = createEvidenceSigners({
      ledger: createLedger(ports),
      sealer: plainSealer(),
      primitives: portablePrimitives,
    })
    return localLedger({ signerOf: signers.signer })
  },
  hashOf: anchorHashOf,
})

/** A world with one sealed session that waits for its anchor, or has it. */
async function sealed(ledger: AnchorLedger) {
  const world = await createWorld({ anchors: ledger })
  unwrap(await send(world, span()))
  await world.pass(2 * minute)
  await world.pass(2 * minute)
  const { service, admin } = world
  return {
    ...world,
    anchor: async () =>
      unwrap(await service.sessions.proof(admin, { sessionId: 'session-1' })).anchor,
    statement: async () => {
      const proof = unwrap(await service.sessions.proof(admin, { sessionId: 'session-1' }))
      return certificateOf({ tenantId: 'ten', name: 'Acme' }, proof, '').statement
    },
  }
}

describe('another ledger in the place of the local one', () => {
  it('is told of each root once, and asked until it has it for good', async () => {
    const ledger = createDelayedLedger(delayMs)
    const { anchor, statement, pass, rows } = await sealed(ledger)
    const submitted = await anchor()
    assert.deepEqual(
      [submitted.status, submitted.ledger, submitted.sequence],
      ['submitted', 'witness', 1],
    )
    assert.equal(
      await statement(),
      'Not anchored yet: submitted to the ledger "witness" as entry 1.',
    )
    await pass(minute)
    assert.equal((await anchor()).status, 'submitted')
    for (let passed = 0; passed < delayMs; passed += minute) await pass(minute)
    const included = await anchor()
    assert.equal(included.status, 'included')
    assert.notEqual(included.signature, submitted.signature)
    assert.notEqual(included.entryHash, submitted.entryHash)
    assert.match(await statement(), /^Anchored in the ledger "witness" as entry 1: .* asked itself/)
    assert.deepEqual(ledger.taken, [submitted.commitment])
    assert.equal(rows(anchors)[0]?.refreshDue, null)
  })

  it('has a root once, also where its answers were lost', async () => {
    const ledger = createDelayedLedger(delayMs)
    let lost = 0
    const { anchor, pass } = await sealed({
      ...ledger,
      submit: async (given) => {
        const made = await ledger.submit(given)
        if (lost++ < 2) throw new Error('the connection broke')
        return made
      },
    })
    for (let tries = 0; tries < 5; tries++) await pass(minute)
    assert.notEqual((await anchor()).status, 'pending')
    assert.ok(lost > 2)
    assert.equal(ledger.taken.length, 1)
  })

  it('is not believed when it answers for something else', async () => {
    const ledger = createDelayedLedger(delayMs)
    const { anchor, pass, rows } = await sealed({
      ...ledger,
      submit: async (given) =>
        (await ledger.submit(given)).map(({ entry, status }) => ({
          entry: { ...entry, commitment: 'f'.repeat(64) },
          status,
        })),
    })
    await pass(10 * minute)
    assert.equal((await anchor()).status, 'pending')
    assert.deepEqual(rows(anchors), [])
  })
})
