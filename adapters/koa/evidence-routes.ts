import type { ExportedFile, StreamedFile } from '@countersign/core'
import { fileNameOf } from '@countersign/core/evidence'
import { ok, type Result } from '@countersign/core/ledger'
import {
  certificateShape,
  evidenceShape,
  listPackages,
  readEvidenceKeySet,
  readPackage,
} from '@countersign/core/operations'
import type { Context } from 'koa'
import { http } from './bind/http.ts'
import { answerSchema } from './bind/schema.ts'
import { callerSignal } from './caller-signal.ts'
import { member } from './callers.ts'
import { defined } from './defined.ts'
import { attachment, download, file, orFile, streamedFile, streamFile } from './download.ts'
import * as schemas from './evidence-schemas.ts'
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

/** Evidence, and the keys that verify it (interface, Evidence document). */
export const evidenceRoutes: readonly Route[] = [
  route({
    ...exporter,
    name: 'evidence.read',
    summary: 'Export the signed evidence of a session',
    method: 'GET',
    path: `${session}/evidence`,
    query: schemas.evidenceQuery,
    answer: json(answerSchema(evidenceShape), 'Content-Disposition'),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query: { applicationId } }) => {
      const asked = { sessionId: param('sessionId'), ...defined({ applicationId }) }
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
    query: schemas.ofApplication,
    answer: file('text/csv'),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const asked = { sessionId: param('sessionId'), ...defined(query) }
      return downloaded(ctx, await service.evidence.csv(actor, asked))
    },
  }),
  route({
    ...exporter,
    name: 'evidence.pack',
    summary: 'Export the evidence of a session as PDF',
    method: 'GET',
    path: `${session}/evidence-pack`,
    query: schemas.ofApplication,
    answer: file(pdf),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const asked = { sessionId: param('sessionId'), ...defined(query) }
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
    query: schemas.ofApplication,
    answer: {
      types: [pdf, jsonType],
      schema: orFile(certificateShape),
      headers: ['Content-Disposition'],
    },
    refuses: ['ambiguous_session', 'not_sealed'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const asked = { sessionId: param('sessionId'), ...defined(query) }
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
    body: jsonBody(schemas.bulkExport, smallBody),
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
    body: jsonBody(schemas.auditorPack, smallBody),
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
    body: jsonBody(schemas.subjectPack, smallBody),
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
