import { ingestLimits } from '@countersign/core/ledger'
import { customerKey } from './callers.ts'
import { exportAnswer } from './description/ingest-answers.ts'
import { type Consumed, json, jsonType } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'

/** An export in OTLP/HTTP's JSON; the core reads it, in slices. */
const otlpBody: Consumed<Uint8Array> = {
  types: [jsonType],
  limit: ingestLimits.bodyBytes,
  encodings: ['gzip'],
  schema: null,
  decode: (bytes) => ({ ok: true, value: bytes ?? new Uint8Array() }),
  check: (bytes) => ({ ok: true, value: bytes as Uint8Array }),
}

/** What backends send with a customer key. */
export const ingestRoutes: readonly Route[] = [
  route({
    ...customerKey,
    right: 'sendSessions',
    name: 'ingest.otlp',
    summary: 'Send spans as OTLP/HTTP in JSON',
    method: 'POST',
    path: '/v1/ingest/otlp',
    body: otlpBody,
    errors: 'rpc',
    answer: json(exportAnswer),
    refuses: ['quota_exceeded'],
    handle: async ({ service, actor, body }) =>
      reply(await service.ingest.acceptExport(actor, body)),
  }),
]
