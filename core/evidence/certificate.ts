import type { ProofView } from '../content/view.ts'
import type { Tenant } from '../organizations/access/records.ts'
import type { SessionCertificate } from './model.ts'

/** How a leaf and a commitment are made, for readers who check them by hand. */
const definitions = {
  leafDefinition:
    'SHA-256(0x00 || JCS(record)): the RFC 8785 form of the session as it was submitted, or of its record (RFC 9162 2.1.1)',
  commitmentDefinition: "SHA-256('countersign-anchor-v1' || root (32 bytes) || nonce (32 bytes))",
} as const

/** The certificate of a session's seal, not signed yet; `issuedAt` is ISO 8601 UTC. */
export function certificateOf(
  { tenantId, name }: Pick<Tenant, 'tenantId' | 'name'>,
  proof: ProofView,
  issuedAt: string,
): Omit<SessionCertificate, 'signatures'> {
  return {
    certificateVersion: '1.0',
    certificateType: 'session-anchor',
    issuedAt,
    organizationName: name,
    tenantId,
    ...definitions,
    proof,
    statement: statementOf(proof),
  }
}

/** What the anchor proves: nothing of a public chain is said of a local ledger. */
function statementOf({ anchor }: ProofView): string {
  const { status, ledger, sequence } = anchor
  switch (status) {
    case 'pending':
      return 'Not anchored yet: the root waits for its checkpoint.'
    case 'submitted':
      return `Not anchored yet: submitted to the ledger "${ledger}" as entry ${sequence}.`
    case 'included':
      return `Anchored in the ledger "${ledger}" as entry ${sequence}: that ledger must be asked itself.`
    case 'recorded':
      return `Not anchored on a public chain: ${ledger} signed checkpoint ${sequence}.`
  }
}
