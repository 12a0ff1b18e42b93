import type { ApplicationStage } from '../applications/view.ts'
import type { AnchorView, ProofView, SessionView, StepView } from '../content/view.ts'
import type { FlagView } from '../policies/flags/records.ts'
import type { AnnotationView, SessionReviewView } from '../policies/sessions/records.ts'
import type { DocumentSignature } from '../proof/sign.ts'
import type { CaseView } from '../review/shapes.ts'
import type { EvidencePolicyResult, EvidenceScore } from '../sessions/seal/session-record.ts'

/**
 * All that the service knows of one session, signed; times are ISO 8601 UTC. Its members stand in this order, which
 * the signature does not depend on.
 */
export interface EvidenceDocument {
  readonly evidenceVersion: '1.0'
  readonly generatedAt: string
  /** Time of the newest fact in it. */
  readonly asOf: string
  readonly tenantId: string
  readonly organizationName: string
  readonly application: EvidenceApplication
  readonly session: SessionView
  /** By start; payloads in clear text, with their nonces. */
  readonly steps: readonly StepView[]
  readonly policyResults: readonly EvidencePolicyResult[]
  readonly reviewCases: readonly EvidenceCase[]
  readonly sessionReviews: readonly SessionReviewView[]
  readonly annotations: readonly AnnotationView[]
  readonly flags: readonly FlagView[]
  /** Those that came with the data, of session and steps. */
  readonly scores: readonly EvidenceScore[]
  readonly integrity: EvidenceIntegrity
  readonly erasure: {
    /** Pseudonyms. */
    readonly erasedSubjects: readonly string[]
    readonly payloadsUnreadable: number
  }
  readonly signatures: readonly DocumentSignature[]
}

/** The application of a document. */
export interface EvidenceApplication {
  readonly applicationId: string
  readonly name: string
  readonly stage: ApplicationStage
}

/** A review case as its record, without what the reviewer was shown and without the resume token. */
export type EvidenceCase = Omit<CaseView, 'presentation' | 'checkpoint' | 'adopted'> & {
  readonly checkpoint: { readonly checkpointId: string }
}

/** A leaf's place in its batch's tree. */
export type EvidenceMerkle = Pick<
  ProofView,
  'batchId' | 'leafIndex' | 'treeSize' | 'inclusionPath' | 'merkleRoot'
>

/** The seal of a session, with all that is needed to check it. */
export interface EvidenceIntegrity {
  readonly canonicalization: 'RFC8785'
  readonly hashAlgorithm: 'rfc9162-sha256'
  /** The revision that is sealed, else the session's own. */
  readonly revision: number
  /** `submitted`: the leaf is the session as it was sent. `record`: the service's record of it. */
  readonly leafSource: 'submitted' | 'record' | null
  /** The value whose canonical JSON is the leaf; null where `leafInputStatus` says why. */
  readonly leafInput: unknown
  readonly leafInputStatus: 'present' | 'erased' | 'redacted' | 'not_sealed'
  readonly leafHash: string | null
  readonly merkle: EvidenceMerkle | null
  readonly anchor: AnchorView | null
  /** Seals of earlier revisions. */
  readonly earlier: readonly EarlierSeal[]
}

/** The seal of an earlier revision. */
export interface EarlierSeal {
  readonly revision: number
  readonly leafHash: string
  readonly merkle: EvidenceMerkle
  readonly anchor: AnchorView | null
}

/** Proof of a session's seal that a person can keep, signed. */
export interface SessionCertificate {
  readonly certificateVersion: '1.0'
  readonly certificateType: 'session-anchor'
  readonly issuedAt: string
  readonly organizationName: string
  readonly tenantId: string
  readonly leafDefinition: string
  readonly commitmentDefinition: string
  readonly proof: ProofView
  /** What the anchor proves, in a sentence. */
  readonly statement: string
  readonly signatures: readonly DocumentSignature[]
}

/** What a subject learns of the data that is held about them. */
export interface AccessReport {
  readonly reportVersion: '1.0'
  readonly generatedAt: string
  readonly organizationName: string
  readonly tenantId: string
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
