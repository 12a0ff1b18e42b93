import type { Read } from '../base/ports/store.ts'
import { findSession } from '../content/find-session.ts'
import type { SessionKey } from '../content/records.ts'
import type { SessionOf } from '../content/view.ts'
import type { Actor } from '../kernel/callers/actor.ts'
import { authorizeMember } from '../kernel/callers/authorize.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { readerOf } from '../kernel/ledger/pages.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { signDocument } from '../proof/sign.ts'
import { assembleEvidence } from './assemble/assemble.ts'
import { readFacts } from './assemble/facts.ts'
import { proofOf, sealOf } from './assemble/integrity.ts'
import { certificateOf } from './certificate.ts'
import { csvOf } from './csv.ts'
import type { EvidenceDeps } from './deps.ts'
import { entitled } from './entitled.ts'
import { fileNameOf } from './file-name.ts'
import type { EvidenceDocument, SessionCertificate } from './model.ts'
import { assemblePrinted } from './print/assemble-printed.ts'
import { notPrinted, printFile } from './print/print-file.ts'
import type { EvidenceUseCases } from './use-cases.ts'

type SessionExports = Pick<
  EvidenceUseCases,
  'document' | 'csv' | 'pdf' | 'certificate' | 'certificatePdf'
>

const utf8 = new TextEncoder()

/** The exports of single sessions. */
export function createSessionExports(deps: EvidenceDeps): SessionExports {
  const { ledger, clock, signers, vault, renderer } = deps

  async function locate(
    actor: Actor,
    sessionId: string,
    { applicationId = null }: { readonly applicationId?: string | null },
  ): Promise<Result<SessionKey>> {
    const member = authorizeMember(actor, 'exportEvidence')
    if (!member.ok) return member
    const { tenantId } = member.value
    const reader = { read: (reads: readonly Read[]) => ledger.read(tenantId, reads) }
    const found = await findSession(reader, member.value, sessionId, applicationId)
    return found.ok ? ok(found.value.row) : found
  }

  async function documentOf(
    actor: Actor,
    sessionId: string,
    of: SessionOf = {},
  ): Promise<Result<EvidenceDocument>> {
    const key = await locate(actor, sessionId, of)
    return key.ok ? documentAt(key.value) : key
  }

  async function documentAt(key: SessionKey): Promise<Result<EvidenceDocument>> {
    const signer = await signers.signer(key.tenantId)
    const assembled = await assembleEvidence(deps, key, { now: clock.now(), signer })
    return assembled.ok ? ok(assembled.value.document) : assembled
  }

  async function certificate(
    actor: Actor,
    sessionId: string,
    of: SessionOf = {},
  ): Promise<Result<SessionCertificate>> {
    const member = authorizeMember(actor, 'exportEvidence')
    if (!member.ok) return member
    const { tenantId } = member.value
    const tenant = await entitled(readerOf(ledger, tenantId), tenantId, 'blockchainCertificate')
    if (!tenant.ok) return tenant
    const key = await locate(actor, sessionId, of)
    if (!key.ok) return key
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const facts = await readFacts({ vault, read }, key.value)
    if (!facts) return refuse('not_found', 'no such session')
    const seal = sealOf(facts) ?? facts.seals.at(-1)
    if (!seal) return refuse('not_sealed', 'the session is not sealed yet')
    const unsigned = certificateOf(facts.tenant, proofOf(facts, seal), isoTime(clock.now()))
    return ok(signDocument(unsigned, await signers.signer(tenantId)))
  }

  return {
    document: documentOf,
    async csv(actor, sessionId, of) {
      const document = await documentOf(actor, sessionId, of)
      if (!document.ok) return document
      return ok({
        fileName: `${fileNameOf(document.value.session.sessionId)}.csv`,
        bytes: utf8.encode(csvOf(document.value)),
      })
    },
    async pdf(actor, sessionId, of, caller) {
      if (!renderer) return notPrinted()
      const key = await locate(actor, sessionId, of ?? {})
      if (!key.ok) return key
      const fileName = `${fileNameOf(key.value.sessionId)}.pdf`
      const make = async () => {
        const document = await assemblePrinted(deps, key.value)
        return document.ok
          ? ok({ kind: 'printed-evidence', document: document.value } as const)
          : document
      }
      return printFile(renderer, { fileName, make }, caller)
    },
    certificate,
    async certificatePdf(actor, sessionId, of, caller) {
      if (!renderer) return notPrinted()
      const document = await certificate(actor, sessionId, of)
      if (!document.ok) return document
      const fileName = `${fileNameOf(document.value.proof.sessionId)}-certificate.pdf`
      const printable = { kind: 'session-certificate', document: document.value } as const
      return printFile(renderer, { fileName, make: async () => ok(printable) }, caller)
    },
  }
}
