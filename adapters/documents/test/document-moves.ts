import { isDeepStrictEqual } from 'node:util'
import {
  type EvidenceDocument,
  fileNameOf,
  payloadDigestOf,
  signDocument,
} from '@countersign/core/evidence'
import { csvOf } from '@countersign/core/internal'
import {
  type OpenEvidence,
  openEvidence,
  resealedEvidence,
  sampleEvidence,
} from '@countersign/core/testing'
import { fitting, recordOf } from './issuer-world.ts'
import { fileOf, issuer, packOf, withoutKeys } from './packs.ts'
import type { Json } from './tamperings.ts'
import { fieldsTold, listTold, type Told } from './told-otherwise.ts'

/** What an issuer, who has all keys, tells otherwise in a bulk pack or a certificate. */
export interface DocumentMove {
  /** What is done, to which member, and how it was sealed. */
  readonly name: string
  /** The kind of place: without numbers. */
  readonly place: string
  /** Names of the records of leaves, the session's or a case's, that it tells otherwise. */
  readonly records: readonly string[]
  /** Names of the records that it leaves out. */
  readonly absent: readonly string[]
  /** Whether all that it tells is signed by its issuer. */
  readonly isSigned: boolean
  /** Writes the file that a reader gets. */
  write(): Promise<string>
}

/** What a session's leaf holds, where the service made it of what the document tells. */
function sessionRecord(document: OpenEvidence): Json | null {
  const { session, integrity, steps } = document
  const { leafInput: sealed, leafSource } = integrity
  if (!sealed || leafSource !== 'record') return sealed
  const own = Object.keys(sealed).map((name) => {
    const holder = name in session ? session : name in document ? document : sealed
    return [name, (holder as Json)[name]]
  })
  const before = sealed.steps as Json[]
  const told = steps.map((step) => {
    const was = before.find(({ stepId }) => stepId === step.stepId) ?? before[0] ?? {}
    const members = Object.keys(was).map((name) => [name, step[name]])
    const { nonces, ...content } = (step.payload ?? {}) as Json & { nonces?: Json }
    const payloads = ((was.payloads as Json[]) ?? []).map((payload) => {
      const [nonce, value] = [nonces?.[String(payload.field)], content[String(payload.field)]]
      return typeof nonce === 'string'
        ? { ...payload, ...payloadDigestOf(nonce, (value ?? null) as never) }
        : payload
    })
    return { ...Object.fromEntries(members), payloads }
  })
  const { policyResults, scores } = document
  return { ...Object.fromEntries(own), steps: told, policyResults, scores }
}

const recordsOf = (document: OpenEvidence): Readonly<Record<string, unknown>> => ({
  session: document.integrity.leafInput,
  ...Object.fromEntries(
    document.reviewCases.map(({ reviewCaseId, integrity }) => [
      String(reviewCaseId),
      integrity.leafInput,
    ]),
  ),
})

/** The document under leaves of what it tells, in the batch that it had or in one of later. */
function sealedAnew(told: OpenEvidence, isLater: boolean): object {
  const reviewCases = told.reviewCases.map((review) => {
    const own = fitting(review)
    return { ...own, integrity: { ...review.integrity, leafInput: recordOf(own) } }
  })
  const { integrity, session } = told
  const sealed = { ...(session.sealed as Json), ...(isLater ? { batchId: 'bat_later' } : {}) }
  const anchor = { ...integrity.anchor, ...(isLater ? { sequence: 900 } : {}) }
  const forged = { ...told, session: { ...session, sealed }, reviewCases } as OpenEvidence
  const leafInput = sessionRecord(forged)
  return resealedEvidence({ ...forged, integrity: { ...integrity, leafInput, anchor } }, issuer)
}

/** A pack of this document alone; its CSV is made of it where one can be. */
export function bulkOf(document: object): Promise<Uint8Array> {
  const { session } = document as { readonly session?: { readonly sessionId?: unknown } }
  const folder = `applications/app_sample/sessions/${fileNameOf(String(session?.sessionId))}`
  const members = new Map(withoutKeys)
  members.set(`${folder}/evidence.json`, Buffer.from(JSON.stringify(document)))
  const csv = attempt(() => csvOf(document as EvidenceDocument))
  if (csv !== null) members.set(`${folder}/session.csv`, Buffer.from(csv))
  return packOf(members)
}

function attempt<T>(make: () => T): T | null {
  try {
    return make()
  } catch {
    return null
  }
}

/** A sealed session with cases, and of what its leaf is made. */
export const documentOf = (leaf: 'record' | 'submitted'): EvidenceDocument =>
  sampleEvidence({ seed: leaf === 'record' ? 51 : 52, leaf, steps: 3 })

/**
 * All moves on a bulk pack of one session, or those of them that are meant: each told alone, and sealed anew with all that
 * it entails.
 */
export function* bulkMovesOn(
  genuine: EvidenceDocument,
  isMeant: (name: string) => boolean = () => true,
): Generator<DocumentMove> {
  const { signatures: _, ...open } = openEvidence(genuine) as OpenEvidence & Json
  const whole = open as unknown as OpenEvidence
  const before = recordsOf(whole)
  function* told(): Generator<Told<OpenEvidence>> {
    yield* fieldsTold(whole)
    for (const list of ['steps', 'reviewCases', 'policyResults', 'scores'])
      yield* listTold(whole, [list])
  }
  for (const { name, place, told: document } of told()) {
    if (isDeepStrictEqual(document, whole)) continue
    for (const [how, make] of Object.entries({
      signed: () => signDocument(document, issuer),
      'sealed anew': () => sealedAnew(document, false),
      'sealed anew in a later batch': () => sealedAnew(document, true),
    })) {
      // Signatures take their time.
      if (!isMeant(`${name}, ${how}`)) continue
      const made = attempt(make)
      const after = made && attempt(() => recordsOf(made as OpenEvidence))
      if (!made || !after) continue
      const names = new Set([...Object.keys(before), ...Object.keys(after)])
      const others = [...names].filter((each) => !isDeepStrictEqual(before[each], after[each]))
      // Without a change of a record it is the move that was signed alone.
      if (how !== 'signed' && others.length === 0) continue
      const absent = others.filter((each) => !(each in after))
      const records = others.filter((each) => each in after)
      const write = async () => fileOf(await bulkOf(made))
      yield { name: `${name}, ${how}`, place, records, absent, isSigned: true, write }
    }
  }
}

/** All moves on a certificate, each under its first signature and signed anew. */
export function* certificateMovesOn({
  signatures,
  ...certificate
}: { readonly signatures?: unknown } & object): Generator<DocumentMove> {
  for (const { name, place, told } of fieldsTold(certificate))
    for (const isSigned of [false, true]) {
      const made = isSigned
        ? attempt(() => signDocument({ ...told, signatures: [] }, issuer))
        : { ...told, signatures }
      if (made !== null)
        yield {
          ...{
            name: `${name}${isSigned ? ', signed anew' : ''}`,
            place,
            records: [],
            absent: [],
            isSigned,
          },
          write: async () => fileOf(JSON.stringify(made), 'certificate.json'),
        }
    }
}

/** The certificate of a session's seal. */
export function sessionCertificateOf({
  tenantId,
  organizationName,
  session,
  application,
  integrity,
}: EvidenceDocument): object {
  const { revision, hashAlgorithm, merkle, leafHash, anchor } = integrity
  const { sessionId } = session
  const { applicationId } = application
  const head = {
    ...{ certificateVersion: '1.0', certificateType: 'session-anchor' },
    ...{ issuedAt: '2026-03-15T09:30:00.000Z', organizationName, tenantId },
    ...{ leafDefinition: 'leaf', commitmentDefinition: 'commitment' },
  }
  const proof = { sessionId, applicationId, revision, hashAlgorithm, ...merkle, leafHash, anchor }
  return signDocument({ ...head, proof, statement: 'Local signed checkpoint.' }, issuer)
}

/** The certificate of an erasure. */
export function erasureCertificateOf({ tenantId, organizationName }: EvidenceDocument): object {
  return signDocument(
    {
      ...{ certificateVersion: '1.0', certificateType: 'erasure', organizationName, tenantId },
      ...{ erasureRequestId: 'ers_1', dataSubjectId: 'sub_sample', applicationIds: ['app_sample'] },
      requestedAt: '2026-03-15T09:30:00.000Z',
      completedAt: '2026-03-15T09:40:00.000Z',
      method: 'crypto-shredding',
      counts: { sessions: 2 },
      retained: ['Merkle roots and anchors'],
    },
    issuer,
  )
}

/** What readers hold of a document: nothing, it, its root, its ledger entry, or its certificate. */
export function documentHoldsOf(genuine: EvidenceDocument): ReadonlyMap<string, readonly string[]> {
  const { merkle, anchor } = genuine.integrity
  const held = (content: unknown) => [fileOf(JSON.stringify(content), 'known.json')]
  return new Map([
    ['nothing', []],
    ['evidence', held(genuine)],
    ['root', [fileOf(merkle?.merkleRoot ?? '', 'roots.txt')]],
    ['entry', held({ anchors: [anchor] })],
    ['certificate', held(sessionCertificateOf(genuine))],
  ])
}
