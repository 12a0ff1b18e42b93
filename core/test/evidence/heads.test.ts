import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  checkAuditLog,
  checkBatches,
  createHeads,
  readKnownEvidence,
  verdictOf,
  verifyDocument,
} from '@countersign/core/evidence'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { leafHash } from '../../base/merkle/hash.ts'
import { merkleTree } from '../../base/merkle/tree.ts'
import { commitmentOf } from '../../proof/commitment.ts'
import { flatLeaf } from '../sessions/leaves.ts'

const tenantId = 'ten_1'

interface Entry {
  readonly position: number
  readonly previousHash: string
  readonly hash: string
}

/** A chain of entries with these details, whole in itself. */
function logOf(details: readonly string[]): readonly Entry[] {
  let previous: Uint8Array = chainStart
  return details.map((detail, at) => {
    const text = { at: 'now', actor: 'system', action: 'tested', subject: 's', detail: { detail } }
    const hash = chainHash(previous, new TextEncoder().encode(JSON.stringify(text)))
    const chain = { previousHash: bytesToHex(previous), hash: bytesToHex(hash) }
    previous = hash
    return { position: at + 1, ...text, ...chain }
  })
}

/** A batch whose last leaf is the head of a log. */
function batchOf({ position, hash }: Pick<Entry, 'position' | 'hash'>, nonce = 7) {
  const record = { leafType: 'audit-log', recordVersion: '1.0', tenantId, position, hash }
  const last = { leafType: 'audit-log', position, hash, leafHash: flatLeaf(record) }
  const first = { sessionId: 's', revision: 1, leafHash: bytesToHex(leafHash(Uint8Array.of(1))) }
  const leaves = [first, last]
  const { root } = merkleTree(leaves.map((leaf) => Buffer.from(leaf.leafHash, 'hex')))
  const random = new Uint8Array(32).fill(nonce)
  return {
    ...{ tenantId, applicationId: 'app_1', batchId: `bat_${position}`, leaves, treeSize: 2 },
    ...{ merkleRoot: bytesToHex(root), nonce: bytesToHex(random), anchorSequence: 1 },
    commitment: commitmentOf(root, random),
  }
}

/** The verdict over batches and log of one pack, told in this order. */
function judge(batches: readonly unknown[], log: readonly unknown[], order = ['batches', 'log']) {
  const heads = createHeads()
  const ofBatches = checkBatches(null, heads)
  const ofLog = checkAuditLog(null, heads)
  for (const each of order) {
    const [check, items] = each === 'log' ? [ofLog, log] : [ofBatches, batches]
    for (const item of items) check.add(item)
    check.end()
  }
  return verdictOf([...ofBatches.findings, ...ofLog.findings])
}

const details = fc.array(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 6 })

describe('the head of an audit log in a batch', () => {
  it('passes the log that it is of, and finds each one that was written anew', () => {
    fc.assert(
      fc.property(details, fc.nat(), fc.string({ maxLength: 8 }), (all, at, other) => {
        const log = logOf(all)
        const head = log[at % log.length]
        assert.ok(head)
        assert.equal(judge([batchOf(head)], log), 'undecided')
        // Any entry up to the head, rewritten with the chain behind it.
        for (let changed = 0; changed < head.position; changed++) {
          if (all[changed] === other) continue
          const anew = logOf(all.with(changed, other))
          assert.equal(judge([batchOf(head)], anew), 'failed')
          // Alone, each is whole: what finds them is that they are compared.
          assert.equal(judge([], anew), 'undecided')
        }
      }),
    )
  })

  it('is known from a batch of before, whatever a later pack says', () => {
    const log = logOf(['one', 'two', 'three'])
    const head = log[1]
    assert.ok(head)
    const known = readKnownEvidence([batchOf(head)])
    assert.ok(known)
    const judged = (entries: readonly unknown[]) =>
      verifyDocument(entries, new Map(), { isCovered: true, known }).map(({ check, result }) => [
        check,
        result,
      ])
    assert.deepEqual(judged(log), [
      ['chain', 'verified'],
      ['witness', 'verified'],
    ])
    const anew = logOf(['one', 'another', 'three'])
    assert.deepEqual(judged(anew).at(-1), ['witness', 'failed'])
  })

  it('finds a head that was changed, names no organization or stands behind the log', () => {
    const log = logOf(['one', 'two'])
    const head = log[1]
    assert.ok(head)
    const batch = batchOf(head)
    const [first, last] = batch.leaves
    const moved = { ...batch, leaves: [first, { ...last, position: 1 }] }
    assert.equal(judge([moved], log), 'failed')
    assert.equal(judge([{ ...batch, tenantId: 'ten_2' }], log), 'failed')
    assert.equal(judge([batch], log, ['log', 'batches']), 'failed')
    const other = logOf(['one', 'three'])[1]
    assert.ok(other)
    assert.equal(judge([batch, batchOf(other)], []), 'failed')
    assert.equal(judge([batchOf({ position: 0, hash: '01'.repeat(32) })], log), 'failed')
    assert.equal(judge([batchOf({ position: 0, hash: '00'.repeat(32) })], log), 'undecided')
  })
})
