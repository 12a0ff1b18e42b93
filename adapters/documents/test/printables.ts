import type {
  AccessReport,
  ErasureCertificate,
  Printable,
  SessionCertificate,
} from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'

const { integrity, tenantId, organizationName, signatures } = sampleEvidence()
const { merkle, anchor, leafHash } = integrity
if (!merkle || !anchor || !leafHash) throw new Error('expected a sample that is sealed')

/** A certificate of a seal. */
export const sessionCertificate: SessionCertificate = {
  certificateVersion: '1.0',
  certificateType: 'session-anchor',
  issuedAt: '2026-03-15T09:30:00.000Z',
  organizationName,
  tenantId,
  leafDefinition: 'SHA-256 of a byte 0 and the canonical JSON',
  commitmentDefinition: 'SHA-256 of tag, root and nonce',
  proof: {
    sessionId: 'ses-1',
    applicationId: 'app_1',
    revision: 1,
    hashAlgorithm: 'rfc9162-sha256',
    ...merkle,
    leafHash,
    anchor,
  },
  statement: 'Not anchored on a public chain: local signed checkpoint 1.',
  signatures,
}

/** A certificate of an erasure. */
export const erasureCertificate: ErasureCertificate = {
  certificateVersion: '1.0',
  certificateType: 'erasure',
  organizationName,
  tenantId,
  erasureRequestId: 'ers_1',
  dataSubjectId: 'sub_1',
  applicationIds: ['app_1'],
  requestedAt: '2026-03-15T09:30:00.000Z',
  completedAt: '2026-03-15T09:31:00.000Z',
  method: 'crypto-shredding',
  counts: { applications: 1, sessions: 3, payloads: 21, cases: 1, annotations: 0 },
  retained: ['Merkle roots and anchors', 'Backups until they expire'],
  signatures,
}

/** What a data subject is told. */
export const accessReport: AccessReport = {
  reportVersion: '1.0',
  generatedAt: '2026-03-15T09:30:00.000Z',
  organizationName,
  tenantId,
  controller: { name: organizationName, contactEmail: 'privacy@ravenna.example', country: 'IT' },
  dataSubjectId: 'sub_1',
  purposes: ['Human review of AI actions'],
  categories: ['Content: inputs of steps', 'Named by the application: health'],
  recipients: [],
  retention: '365 days after a session completed',
  rights: ['Erasure'],
  source: 'The application',
  automatedDecisions: ['Transfers above 1,000 EUR (rule_1): require review, 3 times'],
  sessionCount: 1,
  sessions: [
    {
      applicationName: 'Claims',
      sessionId: 'claim-7',
      startedAt: '2026-03-14T09:30:00.000Z',
      endedAt: null,
      stepCount: 3,
      payloadStatus: 'readable',
    },
  ],
}

/** The documents beside a session's evidence. */
export const printables = {
  session: { kind: 'session-certificate', document: sessionCertificate },
  erasure: { kind: 'erasure-certificate', document: erasureCertificate },
  report: { kind: 'access-report', document: accessReport },
} as const satisfies Readonly<Record<string, Printable>>
