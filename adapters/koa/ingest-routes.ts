import { ingestLimits } from '@countersign/core/ledger'
import { customerKey } from './callers.ts'
import { exportAnswer } from './description/ingest-answers.ts'
import { json, slicedJson } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'

/** What backends send with a customer key. */
export const ingestRoutes: readonly Route[] = [
  route({
    ...customerKey,
    right: 'sendSessions',
    name: 'ingest.otlp',
    summary: 'Send spans as OTLP/HTTP in JSON',
    method: 'POST',
    path: '/v1/ingest/otlp',
    // An export in OTLP/HTTP's JSON.
    body: slicedJson(null, ingestLimits.bodyBytes),
    errors: 'rpc',
    answer: json(exportAnswer),
    refuses: ['quota_exceeded'],
    handle: async ({ service, actor, body }) =>
      reply(await service.ingest.acceptExport(actor, body)),
  }),
]
