import { findSession } from '../content/find-session.ts'
import type { SessionKey } from '../content/records.ts'
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
import { byteOrderMark, csvOf } from './csv.ts'
import type { EvidenceDeps } from './deps.ts'
import { entitled } from './entitled.ts'
import type { EvidenceExports, SessionInput } from './exports.ts'
import { fileNameOf } from './file-name.ts'
import type { EvidenceDocument, SessionCertificate } from './model.ts'
import { assemblePrinted } from './print/assemble-printed.ts'
import { notPrinted, printFile } from './print/print-file.ts'

const utf8 = new TextEncoder()

/** The exports of single sessions. */
export function createSessionExports(
  deps: EvidenceDeps,
): Omit<EvidenceExports, 'erasureCertificatePdf'> {
  const { ledger, clock, signers, vault, renderer } = deps

  async function locate(
    actor: Actor,
    { sessionId, applicationId }: SessionInput,
  ): Promise<Result<SessionKey>> {
    const member = authorizeMember(actor, 'exportEvidence')
    if (!member.ok) return member
    const reader = readerOf(ledger, member.value.tenantId)
    const found = await findSession(reader, member.value, sessionId, applicationId ?? null)
    return found.ok ? ok(found.value.row) : found
  }

  async function read(actor: Actor, input: SessionInput): Promise<Result<EvidenceDocument>> {
    const key = await locate(actor, input)
    if (!key.ok) return key
    const signer = await signers.signer(key.value.tenantId)
    const assembled = await assembleEvidence(deps, key.value, { now: clock.now(), signer })
    return assembled.ok ? ok(assembled.value.document) : assembled
  }

  async function certificate(
    actor: Actor,
    input: SessionInput,
  ): Promise<Result<SessionCertificate>> {
    const member = authorizeMember(actor, 'exportEvidence')
    if (!member.ok) return member
    const { tenantId } = member.value
    const reader = readerOf(ledger, tenantId)
    const tenant = await entitled(reader, tenantId, 'blockchainCertificate')
    if (!tenant.ok) return tenant
    const key = await locate(actor, input)
    if (!key.ok) return key
    const facts = await readFacts({ vault, ...reader }, key.value)
    if (!facts) return refuse('not_found', 'no such session')
    const seal = sealOf(facts) ?? facts.seals.at(-1)
    if (!seal) return refuse('not_sealed', 'the session is not sealed yet')
    const unsigned = certificateOf(facts.tenant, proofOf(facts, seal), isoTime(clock.now()))
    return ok(signDocument(unsigned, await signers.signer(tenantId)))
  }

  return {
    read,
    async csv(actor, input) {
      const document = await read(actor, input)
      if (!document.ok) return document
      return ok({
        fileName: `${fileNameOf(document.value.session.sessionId)}.csv`,
        bytes: utf8.encode((input.bom ? byteOrderMark : '') + csvOf(document.value)),
      })
    },
    async pack(actor, input, caller) {
      if (!renderer) return notPrinted()
      const key = await locate(actor, input)
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
    async certificatePdf(actor, input, caller) {
      if (!renderer) return notPrinted()
      const document = await certificate(actor, input)
      if (!document.ok) return document
      const fileName = `${fileNameOf(document.value.proof.sessionId)}-certificate.pdf`
      const printable = { kind: 'session-certificate', document: document.value } as const
      return printFile(renderer, { fileName, make: async () => ok(printable) }, caller)
    },
  }
}
