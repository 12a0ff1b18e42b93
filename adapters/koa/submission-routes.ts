import { ingestLimits } from '@countersign/core/ledger'
import { readBatch, readUsage } from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { answerSchema } from './bind/schema.ts'
import { customerKey } from './callers.ts'
import { json, slicedJson } from './media.ts'
import type { Route } from './operation.ts'
import { reply, route } from './route.ts'
import { submission } from './submission-schemas.ts'

/** Whole sessions, what became of their batches, and what a key has used. */
export const submissionRoutes: readonly Route[] = [
  route({
    ...customerKey,
    right: 'sendSessions',
    name: 'ingest.submit',
    summary: 'Submit whole sessions under a Merkle root',
    method: 'POST',
    path: '/v1/ingest/sessions',
    body: slicedJson(submission, ingestLimits.bodyBytes),
    answer: json(answerSchema(readBatch.gives)),
    refuses: ['merkle_root_mismatch', 'session_conflict', 'idempotency_conflict', 'quota_exceeded'],
    handle: async ({ service, actor, body }) =>
      reply(await service.ingest.acceptSubmission(actor, body)),
  }),
  http(readBatch, 'GET', '/v1/ingest/batches/:batchId'),
  http(readUsage, 'GET', '/v1/ingest/usage'),
]
