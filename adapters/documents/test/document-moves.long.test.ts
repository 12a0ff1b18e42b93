import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { EvidenceDocument } from '@countersign/core/evidence'
import {
  bulkMovesOn,
  bulkOf,
  certificateMovesOn,
  type DocumentMove,
  documentHoldsOf,
  documentOf,
  erasureCertificateOf,
  sessionCertificateOf,
} from './document-moves.ts'
import { fileOf, folder, issuer } from './packs.ts'
import { isMissing, type Said } from './second-process.ts'
import { saidByBoth } from './second-verifier.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many moves on a bulk pack, and on a certificate, one is drawn. */
const parts = whole ? { bulk: 1, certificates: 1 } : { bulk: 100, certificates: 8 }
const isDrawn = (at: number, of: number) => (at + Math.abs(Number(seed))) % of === 0
const skip = isMissing()

/** Places that no leaf binds, of a document and of a certificate; SECURITY.md of the reference server lists them. */
const unbound: readonly RegExp[] = [
  /^(?:generatedAt|asOf|organizationName|application\.(?:name|stage))$/,
  /^(?:sessionReviews|annotations|flags|erasure)\b/,
  /^session\.(?:dataSubjectId|qualityScore|openFlags|openReviewCases|reviewState)$/,
  /^session\.(?:payloadStatus|receivedAt|completedAt|removeAfter|incompleteAtSource|metadata)$/,
  /^steps\[\]\.(?:truncated|redactions|payloadStatus|dataSubjectId|checkpointId|dataCategories)$/,
  /^reviewCases\[\]\.(?:schemaVersion|stepId|eventSequence|reviewTier|dueAt|expiresAt|overdueAt)$/,
  /^reviewCases\[\]\.(?:updatedAt|caseUrl|cancellationReason|requestedBy)$/,
  /^reviewCases\[\]\.(?:policyResults|followUps|callback|continuation|reviewer|history)\b/,
  /^reviewCases\[\]\.assignment(?:\.assignedAt)?$/,
  /^reviewCases\[\]\.integrity\.merkle\.batchId$/,
  // Of the seal, where the leaf or its tree is known.
  /integrity\.(?:merkle\.treeSize|anchor(?:\.(?:status|nonce|timeStamp|entryHash))?)$/,
  // Of a certificate.
  /^(?:issuedAt|statement|tenantId|leafDefinition|commitmentDefinition)$/,
  /^proof\.(?:batchId|treeSize|anchor)\b/,
]

/** Places that the leaf of a submission does not bind beside those. */
const unboundOfSubmissions: readonly RegExp[] = [
  /^tenantId$/,
  /^policyResults\b/,
  /^steps\[\]\.payload\.nonces\b/,
]

/** Why what two verifiers say of a move is wrong; null where it is not. */
function faultOf(
  { place, records, absent, isSigned }: DocumentMove,
  hold: string,
  { verdict, witness }: Said,
  leaf: string = 'record',
): string | null {
  if (hold === 'nothing' && witness !== 'not_witnessed') return 'witnessed by nothing'
  if (!isSigned && verdict === 'verified') return 'changed without a signature, and verified'
  if (verdict !== 'verified' || witness !== 'witnessed') return null
  if (records.length > 0) return `witnessed with other ${records.join()}`
  // That a case is left out finds who holds its leaf.
  if (absent.length > 0) return hold === 'evidence' ? `witnessed without ${absent.join()}` : null
  const listed = leaf === 'submitted' ? [...unbound, ...unboundOfSubmissions] : unbound
  return listed.some((each) => each.test(place))
    ? null
    : 'witnessed, and of no place that is listed as bound by nothing'
}

async function faultsOf(
  genuine: EvidenceDocument,
  moves: readonly DocumentMove[],
  faultIn: typeof faultOf = faultOf,
): Promise<readonly string[]> {
  const keys = fileOf(JSON.stringify(issuer.jwk), 'keys.json')
  const files: string[] = []
  for (const move of moves) files.push(await move.write())
  const holds = [...documentHoldsOf(genuine)]
  const runs = holds.map(([, known]) => ({ files, keys, known }))
  const faults: string[] = []
  for (const [run, said] of (await saidByBoth(runs)).entries())
    for (const [at, { first, second }] of said.entries()) {
      const [move, [hold] = ['']] = [moves[at], holds[run]]
      if (!move) continue
      const fault = isDeepStrictEqual(first, second)
        ? faultIn(move, hold, first, genuine.integrity.leafSource ?? '')
        : `${JSON.stringify(first)} and ${JSON.stringify(second)}`
      if (fault !== null) faults.push(`${move.name} (${move.place}), held ${hold}: ${fault}`)
    }
  for (const file of files) rmSync(file)
  return faults
}

/** A move that tells nothing otherwise. */
const still = (write: DocumentMove['write']): DocumentMove => ({
  ...{ name: 'nothing', place: '', records: [], absent: [], isSigned: true, write },
})

/** Why what is said of genuine evidence is wrong: it is witnessed by these, and verified. */
const faultOfGenuine =
  (witnesses: readonly string[]): typeof faultOf =>
  (_, hold, { verdict, witness }) =>
    verdict === 'verified' && (witness === 'witnessed') === witnesses.includes(hold)
      ? null
      : `${verdict}, ${witness}`

describe('what an issuer, who has all keys, tells otherwise', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('is told beside what is witnessed by what is held', { skip }, async () => {
    for (const leaf of ['record', 'submitted'] as const) {
      const genuine = documentOf(leaf)
      const pack = still(async () => fileOf(await bulkOf(genuine)))
      const all = faultOfGenuine(['evidence', 'root', 'entry', 'certificate'])
      assert.deepEqual(await faultsOf(genuine, [pack], all), [], leaf)
      const text = JSON.stringify(sessionCertificateOf(genuine))
      const certificate = still(async () => fileOf(text, 'certificate.json'))
      // It has no content, so that a tree says nothing of whose its leaf is.
      const some = faultOfGenuine(['evidence', 'certificate'])
      assert.deepEqual(await faultsOf(genuine, [certificate], some), [], leaf)
    }
  })

  for (const leaf of ['record', 'submitted'] as const)
    it(`in a bulk pack of a ${leaf} session contradicts what a reader holds, or is not witnessed`, {
      skip,
    }, async () => {
      const genuine = documentOf(leaf)
      let count = 0
      // What two verifiers once told apart is judged each time.
      const isFound = (name: string) => /\]\.effect|session\.models/.test(name)
      const drawn = [
        ...bulkMovesOn(genuine, (name) => isDrawn(count++, parts.bulk) || isFound(name)),
      ]
      assert.ok(count > 1_500 && drawn.length > 1_000 / parts.bulk, `${drawn.length} of ${count}`)
      assert.deepEqual(await faultsOf(genuine, drawn), [])
    })

  it('in a certificate of a session contradicts what a reader holds, or is not witnessed', {
    skip,
  }, async () => {
    const genuine = documentOf('record')
    const moves = [...certificateMovesOn(sessionCertificateOf(genuine))]
    assert.ok(moves.length > 90, `${moves.length} moves`)
    const drawn = moves.filter((_, at) => isDrawn(at, parts.certificates))
    assert.deepEqual(await faultsOf(genuine, drawn), [])
  })

  it('in a certificate of an erasure is witnessed by nothing', { skip }, async () => {
    const genuine = documentOf('record')
    const moves = [...certificateMovesOn(erasureCertificateOf(genuine))]
    assert.ok(moves.length > 40, `${moves.length} moves`)
    const drawn = moves.filter((_, at) => isDrawn(at, parts.certificates))
    const faults = await faultsOf(genuine, drawn, (move, _, said) =>
      said.witness === 'not_witnessed' ? faultOf(move, '', said) : 'witnessed',
    )
    assert.deepEqual(faults, [])
  })
})
