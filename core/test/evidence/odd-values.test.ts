import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import {
  checkAuditLog,
  checkBatches,
  checkCaseEvents,
  checkContents,
  checkSessionLines,
  checkTails,
  createHeads,
  createSharedRows,
  type EvidenceKeys,
  type Finding,
  isAtHome,
  readKnownEvidence,
  readReviewerKeys,
  verdictOf,
  verifyDocument,
  verifyManifest,
} from '@countersign/core/evidence'
import { type OpenEvidence, resealedEvidence, sampleEvidence } from '@countersign/core/testing'
import { sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { isObject } from '../../base/events/shape.ts'
import { membersOf, oddValues, type Path, textless, withValue } from './odd-values.ts'
import { fileIn, takenWhole } from './packs.ts'
import { signed } from './signed-world.ts'

/** What is judged, and by what. */
interface Kind {
  readonly document: unknown
  judge(document: unknown): readonly Finding[]
}

const issuer = { keyId: 'issuer', sign: (_: string, bytes: Uint8Array) => sha512(bytes) }
/** Takes what `issuer` signed, and nothing else; a hash stands for the signature. */
const keys: EvidenceKeys = new Map([
  ['issuer', (_, bytes, signature) => bytesToHex(sha512(bytes)) === bytesToHex(signature)],
])

/** Under a new leaf and signature, where it can have them, so that what is said in it is read to its end. */
function sealed(document: unknown): unknown {
  try {
    return resealedEvidence(document as OpenEvidence, issuer)
  } catch {
    return document
  }
}

const linesOf = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as unknown)))

/** All documents of an auditor's pack of a signed decision, a session's, and samples. */
async function kindsOf(): Promise<ReadonlyMap<string, Kind>> {
  const world = await signed()
  const { service, actor, applicationId } = world
  const evidence = unwrap(await service.evidence.read(actor, { sessionId: 'ses_1' }))
  const proof = unwrap(await service.sessions.proof(actor, { sessionId: 'ses_1' }))
  const { bytes } = await takenWhole(
    service.evidencePackages.exportAuditor(actor, { applicationIds: [applicationId] }),
  )
  await service.close()
  const folder = `applications/${applicationId}`
  const listAt = (path: string) => linesOf(fileIn(bytes, path))
  const manifest: unknown = JSON.parse(fileIn(bytes, 'manifest.json'))
  const log = listAt('audit-log.jsonl')
  const ledger = listAt('anchors.jsonl')
  const reviews = listAt(`${folder}/review-cases.jsonl`)
  const batches = listAt(`${folder}/batches.jsonl`)
  const authenticators: unknown = JSON.parse(fileIn(bytes, 'authenticators.json'))
  const events = listAt(`${folder}/review-events.jsonl`)
  const reviewers = readReviewerKeys(authenticators)
  const known = readKnownEvidence([evidence, ...ledger, ...batches, ...log])
  const { createdAt: toldAt } = manifest as { readonly createdAt: string }
  const stamps = () => {}
  const verify = (document: unknown) => verifyDocument(document, keys, { known, reviewers, stamps })
  const each = (list: unknown, check: { add(item: unknown): void; end(): void }) => {
    for (const item of Array.isArray(list) ? list : [list]) check.add(item)
    check.end()
  }

  /** Rows and lists of a pack against each other. */
  function together(changed: Readonly<Record<string, unknown>>): readonly Finding[] {
    const of: Readonly<Record<string, unknown>> = {
      ...{ manifest, log, ledger, reviews, batches, events, evidence, authenticators },
      ...changed,
    }
    const rows = createSharedRows(toldAt)
    const heads = createHeads()
    const checks = { batches: checkBatches(known, heads), log: checkAuditLog(known, heads) }
    const lines = checkCaseEvents(toldAt)
    const objects = (name: string) => [of[name]].flat().filter(isObject)
    for (const document of objects('evidence')) rows.evidence('evidence.json', document)
    rows.sessionCsv('session.csv', '')
    for (const review of objects('reviews')) {
      rows.review(review)
      lines.expect(review)
      isAtHome(review, `${folder}/review-cases.jsonl`, 'ten')
    }
    each(of.events, lines)
    each(of.batches, checks.batches)
    for (const batch of objects('batches')) rows.batch(batch)
    for (const entry of objects('ledger')) rows.entry(entry)
    each(of.log, checks.log)
    const given = { batches: checks.batches.sealed, entries: objects('ledger'), toldAt }
    const tails = { ...given, log: checks.log.reach() }
    return [
      ...rows.findings(new Set(['anchors.jsonl', `${folder}/batches.jsonl`])),
      ...[...checks.batches.findings, ...checks.log.findings, ...lines.findings],
      ...checkTails({ ...tails, known }),
      ...checkTails({ ...tails, stamps }),
      ...checkContents({
        ...{ manifest: of.manifest, paths: new Set([`${folder}/x.json`, 'access-report.json']) },
        ...{ documents: new Map([['access-report.json', of.evidence]]), lastEntry: log.at(-1) },
      }),
    ]
  }

  const listed = (name: string, list: unknown): [string, Kind] => [
    name,
    {
      document: list,
      judge: (document) => {
        readKnownEvidence([document])
        return [...verify(document), ...together({ [name]: document })]
      },
    },
  ]
  const evidenceKind = (name: string, document: unknown): [string, Kind] => [
    name,
    {
      document,
      judge: (changed) => {
        readKnownEvidence([changed])
        return [...verify(sealed(changed)), ...together({ evidence: changed })]
      },
    },
  ]
  const certificate = { certificateType: 'session-anchor', proof }
  const found = new TextEncoder()
  return new Map<string, Kind>([
    evidenceKind('evidence', evidence),
    evidenceKind('a submission', sampleEvidence({ leaf: 'submitted', steps: 2 })),
    evidenceKind('erased content', sampleEvidence({ erased: true, steps: 1 })),
    ['a proof', { document: proof, judge: verify }],
    ['a certificate', { document: certificate, judge: verify }],
    ['a page of the ledger', { document: { anchors: ledger }, judge: verify }],
    listed('ledger', ledger),
    listed('log', log),
    listed('reviews', reviews),
    listed('batches', batches),
    ['a case’s steps', { document: events, judge: (document) => together({ events: document }) }],
    [
      'cases for keys',
      {
        document: authenticators,
        judge: (document) => {
          const { findings, ...others } = readReviewerKeys(document)
          const of = { findings, ...others }
          return [...findings, ...verifyDocument(evidence, keys, { reviewers: of })]
        },
      },
    ],
    [
      'a manifest',
      {
        document: manifest,
        judge: (document) => [
          ...together({ manifest: document }),
          ...verifyManifest({
            manifest: found.encode(textOf(document)),
            ...{ signature: '', keyId: 'issuer', keys, files: new Map() },
            before: { bytes: 0, sha256: '' },
          }),
        ],
      },
    ],
    [
      'a certificate of erasure',
      {
        document: {
          ...{ certificateType: 'erasure', certificateVersion: '1.0', method: 'crypto-shredding' },
          ...{ organizationName: 'o', tenantId: 't', erasureRequestId: 'e', dataSubjectId: 'd' },
          ...{ applicationIds: ['app'], retained: ['logs'], counts: { sessions: 1 } },
          ...{ requestedAt: toldAt, completedAt: toldAt, signatures: [{ keyId: 'issuer' }] },
        },
        judge: verify,
      },
    ],
    [
      'an index of sessions',
      {
        document: [['application_id'], ['app', 'ses_1']],
        judge: (document) => {
          const check = checkSessionLines('app', createSharedRows(toldAt))
          each(document, check)
          return check.findings
        },
      },
    ],
  ])
}

/** The JSON of a document; of one that is too deep, its beginning. */
function textOf(document: unknown): string {
  try {
    return JSON.stringify(document)
  } catch {
    return '['.repeat(100_000)
  }
}

type Odd = (at: number) => unknown

/** Places of a document whose judge throws, or says nothing, with an odd value there. */
function faultsAt({ document, judge }: Kind, odd: Odd): readonly string[] {
  return [...membersOf(document)].flatMap(([name, path], at) => {
    const fault = faultOf(() => judge(withValue(document, path as Path, odd(at))))
    return fault === null ? [] : `${name}: ${fault}`
  })
}

function faultOf(judge: () => readonly Finding[]): string | null {
  try {
    const found = judge()
    verdictOf(found)
    return found.length > 0 ? null : 'nothing was found'
  } catch (error) {
    return String(error)
  }
}

describe('a value that no service writes, at any place of what a pack has', () => {
  let kinds: ReadonlyMap<string, Kind>
  before(async () => {
    kinds = await kindsOf()
  })
  after(() => {
    kinds = new Map()
  })

  it('leads to findings, never to an exception, where it has no text', () => {
    for (const [name, kind] of kinds)
      assert.deepEqual(
        faultsAt(kind, (at) => textless[at % textless.length]),
        [],
        name,
      )
  })

  it('leads to findings, never to an exception, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds.keys()),
        fc.array(fc.constantFrom(...oddValues.keys()), { minLength: 41, maxLength: 41 }),
        (name, drawn) => {
          const kind = kinds.get(name)
          assert.ok(kind)
          const odd: Odd = (at) => oddValues[drawn[at % drawn.length] ?? 0]
          assert.deepEqual(faultsAt(kind, odd), [])
        },
      ),
      { numRuns: 4 },
    )
  })

  it('would be seen where a judge makes a text or a number of it, or compares it in order', () => {
    const kind = kinds.get('erased content')
    assert.ok(kind)
    const readers: readonly ((step: Readonly<Record<string, unknown>>) => unknown)[] = [
      ({ stepId }) => `step ${stepId}`,
      ({ startedAt }) => Date.parse(String(startedAt)),
      ({ inputTokens }) => Number(inputTokens) + 1,
    ]
    for (const read of readers) {
      const judge = (document: unknown) => {
        const { steps } = document as { readonly steps?: unknown }
        if (Array.isArray(steps)) for (const step of steps.filter(isObject)) read(step)
        return kind.judge(document)
      }
      const faults = faultsAt({ ...kind, judge }, (at) => textless[at % textless.length])
      assert.match(faults.join(), /^steps\.\w+: TypeError/)
    }
  })
})
