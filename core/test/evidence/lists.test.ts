import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verdictOf, verifyDocument } from '@countersign/core/evidence'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import { seededRandom } from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { leafHash } from '../../base/merkle/hash.ts'
import { merkleTree } from '../../base/merkle/tree.ts'
import type { LogEntry } from '../../base/ports/store.ts'
import { auditLines } from '../../evidence/auditor/audit-lines.ts'
import { commitmentOf } from '../../proof/commitment.ts'
import { scalarsOf, tampered } from './tampering.ts'

type Judge = (document: unknown) => string
/** Of a list by itself, of which nothing is signed: `undecided` where it fits together. */
const verdict: Judge = (document) => verdictOf(verifyDocument(document, new Map()))

/** Lines of an audit log with these details. */
async function logOf(details: readonly object[]): Promise<readonly object[]> {
  let hash: Uint8Array = chainStart
  const entries = details.map((detail, at): LogEntry => {
    const text = { at: 'now', actor: 'system', action: 'tested', subject: `s${at}`, detail }
    const entry = new TextEncoder().encode(JSON.stringify(text))
    hash = chainHash(hash, entry)
    return { position: at + 1, entry, hash }
  })
  const lines: object[] = []
  async function* all() {
    yield* entries
  }
  for await (const line of auditLines(all())) lines.push(JSON.parse(line))
  return lines
}

function batchOf(seed: number, leaves: number): object {
  const random = seededRandom(seed)
  const hashes = Array.from({ length: leaves }, () => leafHash(random.bytes(8)))
  const { root } = merkleTree(hashes)
  const nonce = random.bytes(32)
  return {
    applicationId: 'app_1',
    batchId: `bat_${seed}`,
    merkleRoot: bytesToHex(root),
    treeSize: leaves,
    leaves: hashes.map((hash, at) => ({
      ...{ sessionId: `s${at}`, revision: 1, leafHash: bytesToHex(hash) },
    })),
    nonce: bytesToHex(nonce),
    commitment: commitmentOf(root, nonce),
    anchorSequence: seed,
  }
}

const detail = fc.dictionary(
  fc.string({ unit: 'binary' }).map((name) => `x${name}`),
  fc.oneof(fc.string({ unit: 'binary' }), fc.integer()),
  { maxKeys: 3 },
)

/** Faults of a judge: a log that it doesn't pass, and a change that it doesn't see. */
async function faultsOf(judge: Judge, runs: number): Promise<readonly string[]> {
  const faults: string[] = []
  await fc.assert(
    fc.asyncProperty(
      fc.array(detail, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1 }),
      async (details, seed) => {
        const log = await logOf(details)
        if (judge(log) !== 'undecided') faults.push('whole')
        const random = seededRandom(seed)
        const places = scalarsOf(log)
        const at = places[random.below(places.length)] ?? []
        if (judge(tampered(log, at, random)) !== 'failed') faults.push(`tampered ${at.join('.')}`)
        if (log.length > 2) {
          if (judge(log.toSpliced(1, 1)) !== 'failed') faults.push('dropped')
          if (judge(log.toReversed()) !== 'failed') faults.push('reversed')
        }
      },
    ),
    { numRuns: runs },
  )
  return faults
}

test('an audit log fits together whatever its entries hold, and no change of it does', async () => {
  assert.deepEqual(await faultsOf(verdict, 60), [])
  const blind: Judge = (document) => {
    const log = document as readonly { readonly hash: string }[]
    return log.every(({ hash }, at) => {
      const next = log[at + 1] as { readonly previousHash?: string } | undefined
      return next === undefined || next.previousHash === hash
    })
      ? 'undecided'
      : 'failed'
  }
  assert.notDeepEqual(await faultsOf(blind, 30), [], 'a check of the links alone is found out')
})

test('the end of an audit log fits together by itself, and says where it begins', async () => {
  const log = await logOf([{}, {}, {}])
  const findings = verifyDocument(log.slice(1), new Map())
  assert.equal(verdictOf(findings), 'undecided')
  assert.match(findings[0]?.detail ?? '', /1 earlier entries/)
})

test('a changed leaf, root, nonce or commitment of a batch is found', () => {
  const batches = [batchOf(1, 1), batchOf(2, 7)]
  assert.equal(verdict(batches), 'undecided')
  const bound = scalarsOf(batches).filter(
    ([, top, , member]) =>
      ['merkleRoot', 'treeSize', 'nonce', 'commitment'].includes(String(top)) ||
      member === 'leafHash',
  )
  assert.equal(bound.length, 2 * 4 + 8)
  const random = seededRandom(3)
  for (const at of bound)
    assert.equal(verdict(tampered(batches, at, random)), 'failed', at.join('.'))
})

test('a list by itself is checked for its arithmetic, not for its issuer', async () => {
  for (const list of [await logOf([{}, {}]), [batchOf(1, 3)]]) {
    const open = verifyDocument(list, new Map()).filter(({ result }) => result === 'unchecked')
    assert.deepEqual(
      open.map(({ check }) => check),
      ['issuer'],
    )
    assert.match(open[0]?.detail ?? '', /arithmetic alone.*Not checked was who issued it/)
    const covered = verifyDocument(list, new Map(), { isCovered: true })
    assert.ok(covered.every(({ result }) => result === 'verified'))
  }
})
