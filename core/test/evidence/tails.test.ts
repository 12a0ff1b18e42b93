import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  checkTails,
  type Finding,
  readKnownEvidence,
  type SealedBatch,
  type ShownStamp,
  type TailsGiven,
  verifyDocument,
  witnessOf,
} from '@countersign/core/evidence'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import {
  sampleAnchor,
  sampleEvidence,
  sampleEvidenceKey,
  unsignedTimeStamp,
} from '@countersign/core/testing'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { encodeBase64 } from '../../proof/signing/encoding.ts'

const signer = sampleEvidenceKey(new Uint8Array(32).fill(7))
const start = Date.UTC(2026, 2, 14)
const day = 86_400_000

/** A ledger of three entries, of which the first two are stamped, and a fourth batch that waits for its entry. */
function tenant({ stampedAt = start }: { readonly stampedAt?: number } = {}) {
  const entries: ReturnType<typeof sampleAnchor>[] = []
  for (const sequence of [1, 2, 3]) {
    const given = { root: `0${sequence}`.repeat(32), nonce: '0a'.repeat(32), sequence }
    const previousHash = entries.at(-1)?.entryHash ?? '00'.repeat(32)
    const entry = sampleAnchor(signer, { ...given, previousHash, anchoredAt: stampedAt })
    const answer = unsignedTimeStamp(hexToBytes(entry.entryHash ?? ''), stampedAt)
    const timeStamp = sequence === 3 ? null : encodeBase64(answer)
    entries.push({ ...entry, nonce: null, timeStamp })
  }
  const batches = [1, 2, 3, 4].map((number): SealedBatch => {
    const { sequence = null, commitment = 'waiting' } = entries[number - 1] ?? {}
    const batchId = `bat_${number}`
    const of = { applicationId: 'app_1', batchId }
    const at = { ...of, sealedAt: start, isKnown: false, head: number * 10 }
    return { ...at, sequence, commitment: String(commitment) }
  })
  return { entries: entries as unknown as TailsGiven['entries'] & readonly object[], batches }
}

/** What is noted, by its check: what it is about. */
function notesOf(findings: readonly Finding[]): Readonly<Record<string, string>> {
  const noted = findings.filter(({ result, check }) => result === 'noted' && check !== 'batch')
  const checks = [...new Set(noted.map(({ check }) => check))]
  return Object.fromEntries(
    checks.map((each) => [
      each,
      noted.flatMap(({ check, about }) => (check === each ? about : [])).join(', '),
    ]),
  )
}

const log = { last: 35, lastKnown: 0, bound: 0, oldest: start }
const stamps = () => {}

describe('what comes after the last witness', () => {
  it('is told batch by batch, and of the audit log, by what could stand behind it', () => {
    const { entries, batches } = tenant()
    const known = readKnownEvidence(entries.slice(0, 1))
    const late = tenant({ stampedAt: start + 2 * day })
    const rows: readonly (readonly [string, TailsGiven, Readonly<Record<string, string>>])[] = [
      ['nothing', { batches, entries, log }, { anchor: 'batch bat_4, audit log' }],
      [
        'stamps',
        { batches, entries, log, stamps },
        { stamp: 'batch bat_3, batch bat_4, audit log' },
      ],
      [
        'what is known',
        { batches, entries, log, known },
        { witness: 'batch bat_2, batch bat_3, batch bat_4, audit log' },
      ],
      [
        'a root that is known',
        { batches: batches.map((each) => ({ ...each, isKnown: true })), entries, log, known },
        {},
      ],
      [
        'a log that is known',
        { batches: [], entries: [], log: { ...log, lastKnown: 35 }, known },
        {},
      ],
      [
        'a log that is known, and a known entry of a batch that is not here',
        { batches: batches.slice(1), entries, log: { ...log, last: 40, lastKnown: 40 }, known },
        { witness: 'anchors.jsonl, batch bat_2, batch bat_3, batch bat_4' },
      ],
      [
        'a stamped entry of a batch that is not here',
        { batches: batches.slice(1, 2), entries, log: { ...log, last: 20 }, stamps },
        { stamp: 'anchors.jsonl' },
      ],
      [
        'stamps that are later than the batches',
        { ...late, log: null, stamps },
        { stamp: 'batch bat_1, batch bat_2, batch bat_3, batch bat_4' },
      ],
      [
        'stamps without a ledger',
        { batches: batches.slice(0, 1), entries: null, log: null, stamps },
        { stamp: 'batch bat_1' },
      ],
      [
        'all covered',
        { batches: batches.slice(0, 2), entries, log: { ...log, last: 20 }, stamps },
        {},
      ],
    ]
    for (const [name, given, expected] of rows)
      assert.deepEqual([name, notesOf(checkTails(given))], [name, expected])
  })

  it('is no lack where the end of a log is of the hour before, and waits for a batch', () => {
    const { entries, batches } = tenant()
    const covered = { batches: batches.slice(0, 2), entries, stamps }
    const toldAt = (ms: number) => new Date(start + ms).toISOString()
    const whole = { stamp: 'audit log' }
    const rows: readonly (readonly [string, Partial<TailsGiven>, object])[] = [
      ['of the hour', { toldAt: toldAt(3_600_000) }, {}],
      ['older', { toldAt: toldAt(3_600_001) }, whole],
      ['of no time', { log: { ...log, bound: 20, oldest: Number.NaN }, toldAt: toldAt(0) }, whole],
      ['told at no time', {}, whole],
      [
        'after a head that nothing covers',
        { log: { ...log, bound: 30 }, toldAt: toldAt(0) },
        whole,
      ],
    ]
    for (const [name, given, expected] of rows) {
      const found = checkTails({ log: { ...log, bound: 20 }, ...covered, ...given })
      assert.deepEqual([name, notesOf(found)], [name, expected])
      assert.equal(found.filter(({ about }) => about === 'audit log').length, 1)
    }
  })

  it('is no end of the audit log before a head of a batch, whatever time that or the pack tells', () => {
    const { entries, batches } = tenant()
    const later = (batches: readonly SealedBatch[]) =>
      batches.map((each) => ({ ...each, sealedAt: start + day }))
    const toldAt = new Date(start - day).toISOString()
    const rows: readonly (readonly [string, Partial<TailsGiven>, boolean])[] = [
      ['a log up to the last head', { log: { ...log, last: 40 } }, false],
      ['a log that ends before', {}, true],
      ['an empty log', { log: { ...log, last: 0 } }, true],
      ['no log', { log: null }, false],
      ['told long before', { toldAt }, true],
      ['batches of later', { batches: later(batches), entries: [], toldAt }, true],
    ]
    for (const [name, given, isShort] of rows) {
      const found = checkTails({ batches, entries, log, ...given })
      const failed = found.filter(({ result }) => result === 'failed')
      const expected = isShort ? ['audit log'] : []
      const about = failed.flatMap((each) => (each.about === 'audit log' ? each.about : []))
      assert.deepEqual([name, about], [name, expected])
    }
  })

  it('waits for no batch where later ones are not here, or hide their head', () => {
    const { entries, batches } = tenant()
    const toldAt = new Date(start).toISOString()
    const known = readKnownEvidence(entries)
    const [one, two, three] = batches as unknown as readonly [SealedBatch, SealedBatch, SealedBatch]
    const told = { entries, known, toldAt }
    const whole = { witness: 'audit log' }
    const rows: readonly (readonly [string, Partial<TailsGiven>, object])[] = [
      ['all of the ledger', { batches: [one, two, three] }, {}],
      ['a known entry of a batch that is not here', { batches: [one, two] }, whole],
      ['a batch behind without a head', { batches: [one, two, { ...three, head: 0 }] }, whole],
      [
        'one without an entry, whose root is known',
        { batches: [one, two, { ...three, head: 0, sequence: null, isKnown: true }] },
        whole,
      ],
      [
        'one without a head, behind which another application has one',
        { batches: [one, { ...two, head: 0 }, { ...three, applicationId: 'app_2', head: 20 }] },
        whole,
      ],
      ['one without a head, and one that has', { batches: [{ ...one, head: 0 }, two, three] }, {}],
      ['no head at all', { batches: batches.map((each) => ({ ...each, head: 0 })) }, whole],
    ]
    for (const [name, given, expected] of rows) {
      const bound = Math.max(...(given.batches ?? []).map(({ head }) => head))
      const found = checkTails({ batches, log: { ...log, bound }, ...told, ...given })
      const { witness = '' } = notesOf(found)
      const ofLog = witness.includes('audit log') ? whole : {}
      assert.deepEqual([name, ofLog], [name, expected])
    }
  })

  it('may be cut off before an entry that is known, which may be later, too', () => {
    const known = readKnownEvidence([{ position: 36, hash: '01'.repeat(32) }])
    const notes = (last: number) =>
      notesOf(
        checkTails({ batches: [], entries: [], log: { ...log, last, lastKnown: last }, known }),
      )
    assert.deepEqual(notes(36), {})
    assert.deepEqual(notes(35), { witness: 'audit log' })
    assert.deepEqual(notes(0), { witness: 'audit log' })
  })

  it('may be of a ledger that ends before an entry of it that is known', () => {
    const { entries, batches } = tenant()
    const known = readKnownEvidence(entries)
    const notes = (count: number) =>
      notesOf(
        checkTails({
          batches: batches.slice(0, count),
          entries: entries.slice(0, count),
          log: null,
          known,
        }),
      )
    assert.deepEqual(notes(3), {})
    assert.deepEqual(notes(2), { witness: 'anchors.jsonl' })
  })

  it('makes a verdict one of witnessed in part', () => {
    const { entries, batches } = tenant()
    const witnessed: Finding = { result: 'verified', check: 'stamp', about: '', detail: '' }
    const whole = checkTails({ batches: batches.slice(0, 2), entries, log: null, stamps })
    assert.equal(witnessOf([witnessed, ...whole]), 'witnessed')
    const part = checkTails({ batches, entries, log: null, stamps })
    assert.equal(witnessOf([witnessed, ...part]), 'partly_witnessed')
    const absent: Finding = { ...witnessed, result: 'noted', check: 'witness' }
    assert.equal(witnessOf([witnessed, ...whole, absent]), 'partly_witnessed')
    assert.equal(witnessOf(part), 'not_witnessed')
    assert.match(part.at(-1)?.detail ?? '', /: it is self-consistent, not witnessed\.$/)
  })

  it('is no other than what is in the ledger, of which what is not here is counted', () => {
    const { entries, batches } = tenant()
    const found = (given: readonly SealedBatch[]) =>
      checkTails({ batches: given, entries, log: null }).map(
        ({ result, check }) => `${result} ${check}`,
      )
    assert.deepEqual(found(batches.slice(0, 2)), ['verified batch', 'noted batch'])
    const forged = batches.slice(0, 3).map((each) => ({ ...each, commitment: 'another' }))
    assert.deepEqual(found(forged), ['failed batch', 'failed batch', 'failed batch'])
  })

  it('is told of a list that stands alone', () => {
    const text = { at: 'now', action: 'tested' }
    const hash = chainHash(chainStart, new TextEncoder().encode(JSON.stringify(text)))
    const chain = { previousHash: bytesToHex(chainStart), hash: bytesToHex(hash) }
    const list = [{ position: 1, ...text, ...chain }]
    assert.deepEqual(notesOf(verifyDocument(list, new Map())), { anchor: 'audit log' })
    assert.deepEqual(notesOf(verifyDocument(list, new Map(), { stamps })), { stamp: 'audit log' })
    const known = readKnownEvidence(list)
    assert.deepEqual(notesOf(verifyDocument(list, new Map(), { known })), {})
  })
})

describe('a stamp', () => {
  /** What is stamped at its time, and what is not, of a document whose entries are stamped at this time. */
  function judged(
    sample: Parameters<typeof sampleEvidence>[0],
    stampedAt: number,
    endedAt?: number,
  ) {
    const document = structuredClone(sampleEvidence({ seed: 3, steps: 3, ...sample }))
    if (endedAt) Object.assign(document.session, { endedAt: new Date(endedAt).toISOString() })
    for (const anchor of anchorsIn(document)) {
      const answer = unsignedTimeStamp(hexToBytes(String(anchor.entryHash)), stampedAt)
      anchor.timeStamp = encodeBase64(answer)
    }
    const shown: ShownStamp[] = []
    verifyDocument(document, new Map(), { stamps: (each) => void shown.push(each) })
    const late = shown.filter(({ fault }) => fault !== null)
    return late.map(({ about }) => about.replace(/ .*? /, ' ').replace(/claim.*/, 's')).join(', ')
  }

  it('counts within a day of what its entry seals, and of the entry', () => {
    const [now, hour] = [start + 30 * day, 3_600_000]
    const minute = 60_000
    const both = 'session s, review rc_3_2'
    const rows: readonly (readonly [string, Parameters<typeof judged>[0], string])[] = [
      ['at its time', { startedAt: now, closedAt: now }, ''],
      ['within a day', { startedAt: now - 23 * hour, anchoredAt: now }, ''],
      ['a decision of before', { startedAt: now, closedAt: now - day - minute }, 'review rc_3_2'],
      ['a decision to come', { startedAt: now, closedAt: now + day + minute }, 'review rc_3_2'],
      [
        'a session of before',
        { startedAt: now - day - minute, closedAt: now, anchoredAt: now },
        'session s',
      ],
      ['both of before', { startedAt: now - 3 * day, anchoredAt: now }, both],
      ['an entry of before', { startedAt: now, closedAt: now, anchoredAt: now - 2 * day }, both],
      [
        'a submission of before',
        { startedAt: now - 3 * day, closedAt: now, anchoredAt: now, leaf: 'submitted' },
        'session s',
      ],
      [
        'an erased submission of before',
        {
          startedAt: now - 3 * day,
          closedAt: now,
          anchoredAt: now,
          leaf: 'submitted',
          erased: true,
        },
        'session s',
      ],
    ]
    for (const [name, sample, expected] of rows)
      assert.deepEqual([name, judged(sample, now)], [name, expected])
    // Told to have gone on after its last step.
    assert.equal(judged({ startedAt: now - 3 * day, anchoredAt: now }, now, now), both)
  })
})

type ShownAnchor = { entryHash?: unknown; timeStamp?: string }

function anchorsIn(value: unknown): readonly ShownAnchor[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'anchorVersion' in value ? [value as ShownAnchor] : []
  return [...own, ...Object.values(value).flatMap(anchorsIn)]
}
