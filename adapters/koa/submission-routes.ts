import { ingestLimits } from '@countersign/core/ledger'
import { customerKey } from './callers.ts'
import * as answers from './description/session-answers.ts'
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
    answer: json(answers.batchAnswer),
    refuses: ['merkle_root_mismatch', 'session_conflict', 'idempotency_conflict', 'quota_exceeded'],
    handle: async ({ service, actor, body }) =>
      reply(await service.ingest.acceptSubmission(actor, body)),
  }),
  route({
    ...customerKey,
    right: 'readIngest',
    name: 'ingest.readBatch',
    summary: 'Read the answer to a submission again',
    method: 'GET',
    path: '/v1/ingest/batches/:batchId',
    answer: json(answers.batchAnswer),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      reply(await service.ingest.readBatch(actor, param('batchId'))),
  }),
  route({
    ...customerKey,
    right: 'readIngest',
    name: 'ingest.usage',
    summary: 'Read what the key has used of its limits',
    method: 'GET',
    path: '/v1/ingest/usage',
    answer: json(answers.usageAnswer),
    refuses: [],
    handle: async ({ service, actor }) => reply(await service.ingest.readUsage(actor)),
  }),
]
