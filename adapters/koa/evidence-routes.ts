import { fileNameOf } from '@countersign/core/evidence'
import { callerSignal } from './caller-signal.ts'
import { anyone, member } from './callers.ts'
import { defined } from './defined.ts'
import * as evidence from './description/evidence-answers.ts'
import { keySetAnswer } from './description/webhook-answers.ts'
import { attachment, download, file, streamedFile, streamFile } from './download.ts'
import * as schemas from './evidence-schemas.ts'
import { streamJson } from './json-stream.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody, jsonType, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery } from './schemas.ts'
import { ofApplication } from './session-schemas.ts'
import { partOf } from './whole-list.ts'

const exporter = { ...member, right: 'exportEvidence' } as const
const session = '/v1/sessions/:sessionId'
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
    answer: json(evidence.evidenceAnswer, 'Content-Disposition'),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query: { applicationId } }) => {
      const id = param('sessionId')
      const result = await service.evidence.document(actor, id, defined({ applicationId }))
      if (!result.ok) return result
      const headers = attachment(`${fileNameOf(result.value.session.sessionId)}.json`)
      return { ok: true, value: await streamJson(ctx, result.value, headers) }
    },
  }),
  route({
    ...exporter,
    name: 'evidence.csv',
    summary: 'Export the structure of session and steps as CSV',
    method: 'GET',
    path: `${session}/export/csv`,
    query: ofApplication,
    answer: file('text/csv'),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const result = await service.evidence.csv(actor, param('sessionId'), defined(query))
      if (!result.ok) return result
      return { ok: true, value: download(ctx, result.value) }
    },
  }),
  route({
    ...exporter,
    name: 'evidence.pack',
    summary: 'Export the evidence of a session as PDF',
    method: 'GET',
    path: `${session}/evidence-pack`,
    query: ofApplication,
    answer: file(pdf),
    refuses: ['ambiguous_session', 'evidence_too_large'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const id = param('sessionId')
      const result = await service.evidence.pdf(actor, id, defined(query), callerSignal(ctx))
      if (!result.ok) return result
      return { ok: true, value: download(ctx, result.value) }
    },
  }),
  route({
    ...exporter,
    feature: 'blockchainCertificate',
    name: 'evidence.certificate',
    summary: "Export the certificate of a session's seal, as PDF or JSON by Accept",
    method: 'GET',
    path: `${session}/blockchain-certificate`,
    query: ofApplication,
    answer: {
      types: [pdf, jsonType],
      schema: evidence.certificateAnswer,
      headers: ['Content-Disposition'],
    },
    refuses: ['ambiguous_session', 'not_sealed'],
    handle: async ({ service, actor, ctx, param, query }) => {
      const [id, of] = [param('sessionId'), defined(query)]
      if (ctx.accepts(pdf, jsonType) === pdf) {
        const printed = await service.evidence.certificatePdf(actor, id, of, callerSignal(ctx))
        return printed.ok ? { ok: true, value: download(ctx, printed.value) } : printed
      }
      const result = await service.evidence.certificate(actor, id, of)
      if (!result.ok) return result
      const fileName = `${fileNameOf(result.value.proof.sessionId)}-certificate.json`
      const headers = { ...attachment(fileName), 'Content-Type': jsonType }
      return { ok: true, value: { body: result.value, headers } }
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
    handle: async ({ service, actor, ctx, body }) => {
      const result = await service.evidence.bulkExport(actor, body)
      return result.ok ? { ok: true, value: streamFile(ctx, result.value) } : result
    },
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
    handle: async ({ service, actor, ctx, body }) => {
      const result = await service.evidence.auditorPack(actor, body)
      return result.ok ? { ok: true, value: streamFile(ctx, result.value) } : result
    },
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
      if (format === 'pdf') {
        const subject = { dataSubjectId }
        const report = await service.evidence.subjectReport(actor, subject, callerSignal(ctx))
        return report.ok ? { ok: true, value: download(ctx, report.value, pdf) } : report
      }
      const result = await service.evidence.subjectPack(actor, { dataSubjectId })
      return result.ok ? { ok: true, value: streamFile(ctx, result.value) } : result
    },
  }),
  route({
    ...exporter,
    name: 'evidencePackages.list',
    summary: 'List packages, newest first',
    method: 'GET',
    path: '/v1/evidence-packages',
    query: listQuery,
    answer: json(evidence.packagesAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.evidence.listPackages(actor, partOf(query)), partAs('packages')),
  }),
  route({
    ...exporter,
    name: 'evidencePackages.read',
    summary: 'Read a package',
    method: 'GET',
    path: '/v1/evidence-packages/:packageId',
    answer: json(evidence.packageAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.evidence.readPackage(actor, param('packageId'))),
  }),
  route({
    ...exporter,
    name: 'evidencePackages.download',
    summary: "Download a package's copy",
    method: 'GET',
    path: '/v1/evidence-packages/:packageId/download',
    answer: streamedFile(zip),
    refuses: ['package_expired'],
    handle: async ({ service, actor, ctx, param }) => {
      const result = await service.evidence.downloadPackage(actor, param('packageId'))
      return result.ok ? { ok: true, value: streamFile(ctx, result.value) } : result
    },
  }),
  route({
    ...anyone,
    name: 'evidenceKeys.read',
    summary: "Read the tenant's public evidence keys as a JWK set",
    method: 'GET',
    path: '/.well-known/evidence-keys/:tenantId',
    answer: json(keySetAnswer),
    refuses: [],
    handle: async ({ service, param }) => {
      const result = await service.evidence.keySet(param('tenantId'))
      if (!result.ok) return result
      // Short, since a new key signs at once.
      const headers = { 'Cache-Control': 'public, max-age=60' }
      return { ok: true, value: { body: result.value, headers } }
    },
  }),
]
