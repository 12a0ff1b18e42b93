// Generated from the route table by .ci/client.mjs: change that, and run `npm run describe`.
import type { Operation } from './call.ts'

/** The operations of the ingest host. */
export const ingestOperations: Readonly<Record<string, Operation>> = {
  'reviewerKeys.list': {
    method: 'GET',
    path: '/v1/reviewer-keys',
    repeats: true,
    items: 'keys',
    cursor: true,
  },
  'reviewCases.open': {
    method: 'POST',
    path: '/v1/review-cases',
    body: true,
    repeats: true,
    keyed: true,
  },
  'reviewCases.find': { method: 'GET', path: '/v1/review-cases', repeats: true },
  'reviewCases.read': { method: 'GET', path: '/v1/review-cases/:reviewCaseId', repeats: true },
  'reviewCases.proof': {
    method: 'GET',
    path: '/v1/review-cases/:reviewCaseId/proof',
    repeats: true,
  },
  'reviewCases.answerFollowUp': {
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/follow-up-response',
    body: true,
  },
  'reviewCases.cancel': {
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/cancel',
    body: true,
  },
  'reviewCases.reportContinuation': {
    method: 'POST',
    path: '/v1/review-cases/:reviewCaseId/continuation',
    body: true,
  },
  'ingest.otlp': { method: 'POST', path: '/v1/ingest/otlp', body: true, repeats: true },
  'ingest.submit': { method: 'POST', path: '/v1/ingest/sessions', body: true, repeats: true },
  'ingest.readBatch': { method: 'GET', path: '/v1/ingest/batches/:batchId', repeats: true },
  'ingest.usage': { method: 'GET', path: '/v1/ingest/usage', repeats: true },
  'description.read': { method: 'GET', path: '/openapi.json', repeats: true },
}
