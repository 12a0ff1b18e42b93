import {
  cancelDeletion,
  createApplication,
  createApplicationKey,
  listApplicationKeys,
  listApplications,
  promoteApplication,
  readApplication,
  removeOutcomeCallback,
  requestDeletion,
  revokeApplicationKey,
  rotateCallbackSecret,
  setOutcomeCallback,
  updateApplication,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { formatApplicationTag, parseApplicationTag } from './etag.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const applications = '/v1/applications'
const application = `${applications}/:applicationId`
const callback = `${application}/outcome-callback`
const keys = `${application}/application-keys`
const tag = formatApplicationTag

/** Applications, their keys and outcome callbacks (interface, Portal host). */
export const applicationRoutes: readonly Route[] = [
  http(listApplications, 'GET', applications),
  http(createApplication, 'POST', applications, { tag }),
  http(readApplication, 'GET', application, { tag }),
  http(updateApplication, 'PUT', application, {
    tag,
    seen: { inBody: ['version'], read: seenVersion },
  }),
  http(promoteApplication, 'POST', `${application}/promote`, { tag }),
  http(requestDeletion, 'DELETE', `${application}/purge`, { tag }),
  http(cancelDeletion, 'POST', `${application}/purge/cancel`, { tag, limit: smallBody }),
  http(setOutcomeCallback, 'PUT', callback),
  http(removeOutcomeCallback, 'DELETE', callback, { tag }),
  http(rotateCallbackSecret, 'POST', `${callback}/rotate-secret`),
  http(listApplicationKeys, 'GET', keys),
  http(createApplicationKey, 'POST', keys),
  http(revokeApplicationKey, 'DELETE', `${keys}/:keyId`),
]

function seenVersion(header: string): { readonly version: number } | null {
  const version = parseApplicationTag(header)
  // A tag that is none of theirs stands for a version that none is at.
  return version === null ? null : { version: version || Number.MAX_SAFE_INTEGER }
}
