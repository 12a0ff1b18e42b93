import {
  annotate,
  clearFlag,
  flagSession,
  listAnnotations,
  listFlags,
  listSessionReviews,
  removeAnnotation,
  reviewSession,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import type { Route } from './operation.ts'

const session = '/v1/sessions/:sessionId'
const ofApplication = { query: ['applicationId'] } as const

/** Flags, annotations and reviews of sessions (interface, Portal host). */
export const markRoutes: readonly Route[] = [
  http(listFlags, 'GET', `${session}/flags`),
  http(flagSession, 'POST', `${session}/flags`, ofApplication),
  http(clearFlag, 'DELETE', `${session}/flags/:flagId`),
  http(listAnnotations, 'GET', `${session}/annotations`),
  http(annotate, 'POST', `${session}/annotations`, ofApplication),
  http(removeAnnotation, 'DELETE', `${session}/annotations/:annotationId`),
  http(listSessionReviews, 'GET', `${session}/reviews`),
  http(reviewSession, 'POST', `${session}/reviews`, ofApplication),
]
