import { applicationStages } from '../applications/view.ts'
import type { SessionView } from '../content/view.ts'
import { anchorShape, proofShape, sessionShape, shownPlace, stepShape } from '../content/view.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { listOf, object } from '../kernel/members.ts'
import { count } from '../kernel/page.ts'
import {
  anything,
  just,
  line,
  name,
  type OutsOf,
  oneOf,
  type Shape,
  time,
} from '../kernel/shape.ts'
import { anyText, digest, fromOne } from '../kernel/usual.ts'
import { orNull } from '../kernel/wrap.ts'
import { shownFlag } from '../policies/flags/records.ts'
import { shownAnnotation, shownSessionReview } from '../policies/sessions/records.ts'
import { signatures } from '../removal/erasure/records.ts'
import { caseRecordShape } from '../review/case-record.ts'
import { caseInEvidence } from '../review/shapes.ts'
import { evidencePolicyResult, evidenceScore } from '../sessions/seal/session-record.ts'

const id = line(longest.id)

const application = { applicationId: id, name: name(longest.name), stage: oneOf(applicationStages) }
/** The application of a document. */
export interface EvidenceApplication extends OutsOf<typeof application> {}

/** A leaf's place in its batch's tree. */
export interface EvidenceMerkle extends OutsOf<typeof shownPlace> {}
const merkle = object(shownPlace, 'EvidenceMerkle')

const caseIntegrity = {
  /** The value whose canonical JSON is the leaf; null where `leafInputStatus` says why. */
  leafInput: orNull(caseRecordShape),
  /** Of a case that is open, or waits for its batch: `not_sealed`. */
  leafInputStatus: oneOf(['present', 'not_sealed']),
  leafHash: orNull(digest),
  merkle: orNull(merkle),
  anchor: orNull(anchorShape),
}
/** The seal of a review case, with all that is needed to check it. */
export interface CaseIntegrity extends OutsOf<typeof caseIntegrity> {}

const evidenceCase = { ...caseInEvidence, integrity: object(caseIntegrity, 'CaseIntegrity') }
/** A review case with what its reviewer was shown, who they were and its seal; without the resume token. */
export interface EvidenceCase extends OutsOf<typeof evidenceCase> {}

const earlierSeal = {
  revision: fromOne,
  leafHash: digest,
  merkle,
  anchor: orNull(anchorShape),
}
/** The seal of an earlier revision. */
export interface EarlierSeal extends OutsOf<typeof earlierSeal> {}

const integrity = {
  canonicalization: just('RFC8785'),
  hashAlgorithm: just('rfc9162-sha256'),
  /** The revision that is sealed, else the session's own. */
  revision: fromOne,
  /** `submitted`: the leaf is the session as it was sent. `record`: the service's record of it. */
  leafSource: orNull(oneOf(['submitted', 'record'])),
  /** The value whose canonical JSON is the leaf; null where `leafInputStatus` says why. */
  leafInput: anything as Shape<NonNullable<unknown> | null>,
  leafInputStatus: oneOf(['present', 'erased', 'redacted', 'not_sealed']),
  leafHash: orNull(digest),
  merkle: orNull(merkle),
  anchor: orNull(anchorShape),
  /** Seals of earlier revisions. */
  earlier: listOf(object(earlierSeal)),
}
/** The seal of a session, with all that is needed to check it. */
export interface EvidenceIntegrity extends OutsOf<typeof integrity> {}

const evidence = {
  evidenceVersion: just('1.0'),
  generatedAt: time,
  /** Time of the newest fact in it. */
  asOf: time,
  tenantId: id,
  organizationName: name(longest.name),
  application: object(application),
  session: sessionShape,
  /** By start; payloads in clear text, with their nonces. */
  steps: listOf(stepShape),
  policyResults: listOf(object(evidencePolicyResult, 'EvidencePolicyResult')),
  reviewCases: listOf(object(evidenceCase, 'EvidenceCase')),
  sessionReviews: listOf(object(shownSessionReview, 'SessionReview')),
  annotations: listOf(object(shownAnnotation, 'Annotation')),
  flags: listOf(object(shownFlag, 'Flag')),
  /** Those that came with the data, of session and steps. */
  scores: listOf(object(evidenceScore)),
  integrity: object(integrity, 'EvidenceIntegrity'),
  erasure: object({
    /** Pseudonyms. */
    erasedSubjects: listOf(id),
    payloadsUnreadable: count,
  }),
  signatures,
}
/**
 * All that the service knows of one session, signed; times are ISO 8601 UTC. Its members stand in this order, which
 * the signature does not depend on.
 */
export interface EvidenceDocument extends OutsOf<typeof evidence> {}
/** The answer that is an evidence document. */
export const evidenceShape: Shape<object> = object(evidence, 'Evidence')

const certificate = {
  certificateVersion: just('1.0'),
  certificateType: just('session-anchor'),
  issuedAt: time,
  organizationName: name(longest.name),
  tenantId: id,
  leafDefinition: anyText,
  commitmentDefinition: anyText,
  proof: proofShape,
  /** What the anchor proves, in a sentence. */
  statement: anyText,
  signatures,
}
/** Proof of a session's seal that a person can keep, signed. */
export interface SessionCertificate extends OutsOf<typeof certificate> {}
/** The answer that is the certificate of a session. */
export const certificateShape: Shape<object> = object(certificate, 'SessionCertificate')

/** What a subject learns of the data that is held about them. */
export interface AccessReport {
  readonly reportVersion: '1.0'
  readonly generatedAt: string
  readonly organizationName: string
  readonly tenantId: string
  readonly controller: AccessReportController
  /** A pseudonym. */
  readonly dataSubjectId: string
  readonly purposes: readonly string[]
  readonly categories: readonly string[]
  readonly recipients: readonly string[]
  readonly retention: string
  readonly rights: readonly string[]
  readonly source: string
  readonly automatedDecisions: readonly string[]
  readonly sessionCount: number
  /** The first 1,000. */
  readonly sessions: readonly AccessReportSession[]
}

/** Who is responsible for the data (GDPR, Article 15), by the organization's profile. */
export interface AccessReportController {
  readonly name: string
  /** Where a subject can turn to. */
  readonly contactEmail: string
  /** ISO 3166-1 alpha-2; null where the profile has none. */
  readonly country: string | null
}

/** A session of the subject. */
export interface AccessReportSession {
  readonly applicationName: string
  readonly sessionId: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly stepCount: number
  readonly payloadStatus: SessionView['payloadStatus']
}

/** The list of a pack's files, signed beside it by `manifest.sig`. */
export interface Manifest {
  readonly manifestVersion: '1.0'
  readonly packType: 'bulk' | 'auditor' | 'subject'
  readonly packageId: string
  readonly tenantId: string
  readonly createdAt: string
  readonly scope: unknown
  readonly files: readonly ManifestFile[]
  readonly omitted: readonly { readonly path: string; readonly reason: string }[]
  /** Size and hex SHA-256 of all bytes of the archive in front of the manifest's own header. */
  readonly before: { readonly bytes: number; readonly sha256: string }
}

/** A file of a pack. */
export interface ManifestFile {
  readonly path: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  readonly mediaType: string
}
