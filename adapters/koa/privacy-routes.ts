import {
  createErasure,
  listErasures,
  listHolds,
  lookUpSubject,
  placeHold,
  readErasure,
  readErasureCertificate,
  rejectErasure,
  releaseHold,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { callerSignal } from './caller-signal.ts'
import { member } from './callers.ts'
import { download, jsonOrFile } from './download.ts'
import { jsonType, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'

const pdf = 'application/pdf'
const requests = '/v1/gdpr/erasure-requests'
const request = `${requests}/:erasureRequestId` as const
const holds = '/v1/gdpr/legal-holds'
const small = { limit: smallBody }

/** Data subjects: what is held of them, their erasure, legal holds. */
export const privacyRoutes: readonly Route[] = [
  http(lookUpSubject, 'POST', '/v1/gdpr/subjects/lookup', small),
  http(createErasure, 'POST', requests, small),
  http(listErasures, 'GET', requests),
  http(readErasure, 'GET', request),
  http(rejectErasure, 'POST', `${request}/reject`, small),
  route({
    ...member,
    right: 'readPrivacy',
    name: 'erasureRequests.certificate',
    summary: 'Read the signed certificate of a completed erasure, as JSON or PDF by Accept',
    method: 'GET',
    path: `${request}/certificate`,
    answer: jsonOrFile(readErasureCertificate.gives, jsonType, pdf),
    refuses: [],
    handle: async ({ service, actor, ctx, param }) => {
      const erasureRequestId = param('erasureRequestId')
      if (ctx.accepts(jsonType, pdf) === jsonType)
        return reply(await service.erasureRequests.certificate(actor, { erasureRequestId }))
      const { erasureCertificatePdf } = service.evidence
      const printed = await erasureCertificatePdf(actor, { erasureRequestId }, callerSignal(ctx))
      return printed.ok ? { ok: true, value: download(ctx, printed.value, pdf) } : printed
    },
  }),
  http(placeHold, 'POST', holds, small),
  http(listHolds, 'GET', holds),
  http(releaseHold, 'POST', `${holds}/:holdId/release`, small),
]
