import type { ExportedFile, StreamedFile } from '@countersign/core'
import { fileNameOf } from '@countersign/core/evidence'
import { just, oneOf, optional } from '@countersign/core/kernel'
import { ok, type Result } from '@countersign/core/ledger'
import {
  certificateShape,
  csvForm,
  evidenceShape,
  exportedApplications,
  exportedSubject,
  listPackages,
  ofOneSession,
  readEvidenceKeySet,
  readPackage,
} from '@countersign/core/operations'
import type { Context } from 'koa'
import { http } from './bind/http.ts'
import { callerSignal } from './caller-signal.ts'
import { member } from './callers.ts'
import { attachment, download, file, jsonOrFile, streamedFile, streamFile } from './download.ts'
import { bodyOf, queryOf } from './input.ts'
import { streamJson } from './json-stream.ts'
import { json, jsonBody, jsonType, type Reply, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { route } from './route.ts'

const exporter = { ...member, right: 'exportEvidence' } as const
const session = '/v1/sessions/:sessionId'
const packages = '/v1/evidence-packages'
const onePackage = `${packages}/:packageId` as const
const pdf = 'application/pdf'
const zip = 'application/zip'

const { sessionId: _, ...ofApplication } = ofOneSession
const subjectPack = bodyOf({ ...exportedSubject, format: optional(oneOf(['zip', 'pdf'])) })

/** Evidence, and the keys that verify it (interface, Evidence document). */
export const evidenceRoutes: readonly Route[] = [
  route({
    ...exporter,
    name: 'evidence.read',
    summary: 'Export the signed evidence of a session',
    method: 'GET',
    path: `${session}/evidence`,
    query: queryOf({ ...ofApplication, format: optional(just('json')) }),
    answer: json(evidenceShape, 'Content-Disposition'),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query: { applicationId } }) => {
      const asked = { sessionId: param('sessionId'), applicationId }
      const result = await service.evidence.read(actor, asked)
      if (!result.ok) return result
      const headers = attachment(`${fileNameOf(result.value.session.sessionId)}.json`)
      return ok(await streamJson(ctx, result.value, headers))
    },
  }),
  route({
    ...exporter,
    name: 'evidence.csv',
    summary: 'Export the structure of session and steps as CSV',
    method: 'GET',
    path: `${session}/export/csv`,
    query: queryOf({ ...ofApplication, ...csvForm }),
    answer: file('text/csv'),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const asked = { sessionId: param('sessionId'), ...query }
      return downloaded(ctx, await service.evidence.csv(actor, asked))
    },
  }),
  route({
    ...exporter,
    name: 'evidence.pack',
    summary: 'Export the evidence of a session as PDF',
    method: 'GET',
    path: `${session}/evidence-pack`,
    query: queryOf(ofApplication),
    answer: file(pdf),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const asked = { sessionId: param('sessionId'), ...query }
      return downloaded(ctx, await service.evidence.pack(actor, asked, callerSignal(ctx)))
    },
  }),
  route({
    ...exporter,
    feature: 'blockchainCertificate',
    name: 'evidence.certificate',
    summary: "Export the certificate of a session's seal, as PDF or JSON by Accept",
    method: 'GET',
    path: `${session}/blockchain-certificate`,
    query: queryOf(ofApplication),
    answer: jsonOrFile(certificateShape, pdf, jsonType),
    refuses: ['ambiguous_session', 'not_sealed'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const asked = { sessionId: param('sessionId'), ...query }
      const { evidence } = service
      if (ctx.accepts(pdf, jsonType) === pdf)
        return downloaded(ctx, await evidence.certificatePdf(actor, asked, callerSignal(ctx)))
      const result = await evidence.certificate(actor, asked)
      if (!result.ok) return result
      const fileName = `${fileNameOf(result.value.proof.sessionId)}-certificate.json`
      const headers = { ...attachment(fileName), 'Content-Type': jsonType }
      return ok({ body: result.value, headers })
    },
  }),
  route({
    ...exporter,
    feature: 'bulkExport',
    name: 'evidencePackages.exportBulk',
    summary: 'Export the latest sessions of applications as a ZIP',
    method: 'POST',
    path: '/v1/applications/evidence/bulk-export',
    body: jsonBody(bodyOf(exportedApplications), smallBody),
    answer: streamedFile(zip),
    refuses: [],
    handle: async ({ service, actor, ctx, body }) =>
      streamed(ctx, await service.evidencePackages.exportBulk(actor, body)),
  }),
  route({
    ...exporter,
    feature: 'auditorPack',
    name: 'evidencePackages.exportAuditor',
    summary: 'Export what an auditor checks applications by, as a ZIP',
    method: 'POST',
    path: '/v1/applications/auditor-pack',
    body: jsonBody(bodyOf(exportedApplications), smallBody),
    answer: streamedFile(zip),
    refuses: [],
    handle: async ({ service, actor, ctx, body }) =>
      streamed(ctx, await service.evidencePackages.exportAuditor(actor, body)),
  }),
  route({
    ...member,
    right: 'exportSubjects',
    name: 'evidencePackages.exportSubject',
    summary: 'Export what is held of a data subject, as a ZIP or its report as PDF',
    method: 'POST',
    path: '/v1/gdpr/subject-pack',
    body: jsonBody(subjectPack, smallBody),
    answer: streamedFile(zip, pdf),
    refuses: ['not_found', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, body: { dataSubjectId, format = 'zip' } }) => {
      const { evidencePackages } = service
      if (format === 'zip')
        return streamed(ctx, await evidencePackages.exportSubject(actor, { dataSubjectId }))
      const report = evidencePackages.subjectReport(actor, { dataSubjectId }, callerSignal(ctx))
      return downloaded(ctx, await report, pdf)
    },
  }),
  http(listPackages, 'GET', packages),
  http(readPackage, 'GET', onePackage),
  route({
    ...exporter,
    name: 'evidencePackages.download',
    summary: "Download a package's copy",
    method: 'GET',
    path: `${onePackage}/download`,
    answer: streamedFile(zip),
    refuses: ['package_expired'],
    handle: async ({ service, actor, ctx, param }) => {
      const asked = { packageId: param('packageId') }
      return streamed(ctx, await service.evidencePackages.download(actor, asked))
    },
  }),
  // Short, since a new key signs immediately.
  http(readEvidenceKeySet, 'GET', '/.well-known/evidence-keys/:tenantId', { maxAge: 60 }),
]

function downloaded(
  ctx: Context,
  result: Result<ExportedFile>,
  type?: string,
): Result<Reply<Uint8Array>> {
  return result.ok ? ok(download(ctx, result.value, type)) : result
}

function streamed(ctx: Context, result: Result<StreamedFile>): Result<Reply<Uint8Array>> {
  return result.ok ? ok(streamFile(ctx, result.value)) : result
}
