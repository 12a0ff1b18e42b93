import {
  listAnchors,
  listSessions,
  listSteps,
  proveSession,
  readSession,
  readStep,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import type { Route } from './operation.ts'

const session = '/v1/sessions/:sessionId'

/** What members read of sessions. */
export const sessionRoutes: readonly Route[] = [
  http(listSessions, 'GET', '/v1/sessions'),
  http(readSession, 'GET', session),
  http(listSteps, 'GET', `${session}/steps`),
  http(readStep, 'GET', `${session}/steps/:stepId`),
  http(proveSession, 'GET', `${session}/proof`),
  http(listAnchors, 'GET', '/v1/anchors'),
]
