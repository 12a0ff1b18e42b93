import { ingestLimits, ok } from '@countersign/core/ledger'
import { exportShape, readBatch, readUsage, submissionShape } from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { customerKey } from './callers.ts'
import { bytesOf } from './input.ts'
import { json, jsonType, slicedJson } from './media.ts'
import type { Route } from './operation.ts'
import { encodedAnswer, isProtobuf, protobufType } from './otlp-media.ts'
import { reply, route } from './route.ts'

/** What backends send and ask for with a customer key. */
export const ingestRoutes: readonly Route[] = [
  route({
    ...customerKey,
    right: 'sendSessions',
    name: 'ingest.otlp',
    summary: 'Send spans as OTLP/HTTP in JSON or protobuf',
    method: 'POST',
    path: '/v1/ingest/otlp',
    // Exporters append it to the endpoint that they are given.
    aliases: ['/v1/ingest/otlp/v1/traces'],
    body: { ...slicedJson(null, ingestLimits.bodyBytes), types: [jsonType, protobufType] },
    errors: 'rpc',
    answer: { ...json(exportShape), types: [jsonType, protobufType] },
    refuses: ['quota_exceeded'],
    async handle({ service, actor, body, ctx }) {
      if (!isProtobuf(ctx)) return reply(await service.ingest.acceptExport(actor, body))
      const taken = await service.ingest.acceptExport(actor, body, 'protobuf')
      if (!taken.ok) return taken
      return ok({
        body: encodedAnswer(taken.value),
        headers: { 'Content-Type': protobufType },
      })
    },
  }),
  route({
    ...customerKey,
    right: 'sendSessions',
    name: 'ingest.submit',
    summary: 'Submit whole sessions under a Merkle root',
    method: 'POST',
    path: '/v1/ingest/sessions',
    // Sessions are hashed as they were sent, so the core reads and checks the bytes itself.
    body: slicedJson(bytesOf(submissionShape), ingestLimits.bodyBytes),
    answer: json(readBatch.gives),
    refuses: ['merkle_root_mismatch', 'session_conflict', 'idempotency_conflict', 'quota_exceeded'],
    handle: async ({ service, actor, body }) =>
      reply(await service.ingest.acceptSubmission(actor, body)),
  }),
  http(readBatch, 'GET', '/v1/ingest/batches/:batchId'),
  http(readUsage, 'GET', '/v1/ingest/usage'),
]
