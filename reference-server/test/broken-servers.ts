import { brokenAccountServers } from './broken-account-servers.ts'
import { brokenCaseServers } from './broken-case-servers.ts'
import { brokenIngestServers } from './broken-ingest-servers.ts'
import type { BrokenServer } from './broken-server.ts'
import { granting, onBody, onPath, onStatus, replaceIn } from './relay.ts'

/** Servers of which the suite must say what is wrong. */
export const brokenServers: readonly BrokenServer[] = [
  {
    name: 'grants a claim of what another has',
    killedBy: 'cases.claim',
    api: { reply: onPath(/\/claim$/, granting) },
  },
  {
    name: 'takes the version that it has for the one that was seen',
    killedBy: 'cases.versions',
    api: { reply: onPath(/\/decide$/, granting) },
  },
  {
    name: 'takes rules whatever version was seen',
    killedBy: 'rules.versions',
    api: { reply: onPath(/\/policy-rules$/, granting) },
  },
  {
    name: 'takes any condition',
    killedBy: 'rules.conditions',
    api: { reply: onPath(/\/policy-rules$/, onStatus(400, 200)) },
  },
  {
    name: 'lets every member change rules',
    killedBy: 'rules.rights',
    api: { reply: onPath(/\/ingest-rules$/, onStatus(403, 200)) },
  },
  {
    name: 'finds any session',
    killedBy: 'rules.marks',
    api: { reply: onPath(/^\/v1\/sessions\//, onStatus(404, 200)) },
  },
  {
    name: 'forgets redaction policies',
    killedBy: 'rules.redaction',
    api: {
      reply: onPath(/\/redaction-policies$/, (reply) =>
        replaceIn(reply, /"detect":"iban"/, '"detect":"email"'),
      ),
    },
  },
  {
    name: 'takes an invitation twice',
    killedBy: 'members.invitation',
    api: { reply: onPath(/\/accept-invitation$/, onStatus(410, 200)) },
  },
  {
    name: 'keeps the sessions of who was deactivated',
    killedBy: 'members.invitation',
    api: { reply: onPath(/\/auth\/session$/, onStatus(401, 200)) },
  },
  {
    name: 'sends a withdrawn invitation again',
    killedBy: 'members.withdrawal',
    api: { reply: onPath(/\/resend$/, onStatus(409, 200)) },
  },
  {
    name: 'lets its last admin go',
    killedBy: 'members.rights',
    api: { reply: onPath(/\/role$/, onStatus(409, 200)) },
  },
  {
    name: 'takes any country',
    killedBy: 'organization.profile',
    api: { reply: onPath(/\/customer\/profile$/, onStatus(400, 200)) },
  },
  {
    name: 'looks at the body before the plan, or at neither',
    killedBy: 'organization.entitlements',
    api: { reply: onPath(/\/bulk-export$/, onStatus(400, 200)) },
  },
  {
    name: 'breaks the chain of its audit log',
    killedBy: 'organization.audit',
    api: {
      reply: onPath(/\/audit-log/, (reply) =>
        replaceIn(reply, /"previousHash":"[0-9a-f]{8}/, '"previousHash":"00000000'),
      ),
    },
  },
  {
    name: 'ignores If-Match',
    killedBy: 'cases.versions',
    api: {
      request: (message) => {
        if (!message.headers['if-match']) return
        delete message.headers['if-match']
        message.body = JSON.stringify({ ...JSON.parse(message.body), caseVersion: 2 })
      },
    },
  },
  {
    name: 'opens a second case for the same key',
    killedBy: 'cases.open-twice',
    api: {
      request: onBody(/^\/v1\/review-cases$/, (body) => {
        openings += 1
        return { ...body, idempotencyKey: `k${openings}`, checkpointId: `c${openings}` }
      }),
    },
  },
  {
    name: 'shows another digest than the one of what is shown',
    killedBy: 'cases.digest',
    api: {
      reply: (reply) => replaceIn(reply, /"presentationDigest":"./g, '"presentationDigest":"0'),
    },
  },
  {
    name: 'calls a decided case open',
    killedBy: 'cases.decide',
    api: { reply: (reply) => replaceIn(reply, /"state":"decided"/g, '"state":"open"') },
  },
  {
    name: 'counts a version too few once a case is cancelled',
    killedBy: 'cases.walks',
    api: {
      reply: (reply) => {
        if (reply.body.includes('"state":"cancelled"'))
          replaceIn(reply, /"caseVersion":\d+/g, '"caseVersion":1')
      },
    },
  },
  {
    name: 'clamps the size of a page',
    killedBy: 'errors.paging',
    api: {
      request: (message) => {
        message.path = message.path.replace('pageSize=101', 'pageSize=100')
      },
    },
  },
  {
    name: 'knows nothing of the sandbox',
    killedBy: 'errors.sandbox',
    api: { request: ({ headers }) => void delete headers['x-service-sandbox'] },
  },
  {
    name: 'lets foreign pages act',
    killedBy: 'errors.cross-site',
    api: {
      request: ({ headers }) => {
        delete headers['sec-fetch-site']
        delete headers.origin
      },
    },
  },
  {
    name: 'answers without an errors array',
    killedBy: 'errors.shape',
    api: { reply: (reply) => replaceIn(reply, /"errors":/g, '"problems":') },
  },
  {
    name: 'does not say where a key stands',
    killedBy: 'errors.rate-headers',
    api: { reply: ({ headers }) => void delete headers['x-ratelimit-remaining'] },
  },
  {
    name: 'answers with the raw id of a subject',
    killedBy: 'privacy.pseudonyms',
    api: {
      reply: (reply) => replaceIn(reply, /"dataSubjectId":"sub_/g, '"dataSubjectId":"person-'),
    },
  },
  {
    name: 'tells the matter of a hold',
    killedBy: 'privacy.holds',
    deliveries: {
      request: (message) => {
        message.body = message.body.replace('"holdId":', '"matter":"x","holdId":')
      },
    },
  },
  {
    name: 'erases without being asked twice',
    killedBy: 'privacy.erasures',
    api: { request: onBody(/erasure-requests$/, (body) => ({ ...body, confirm: true })) },
  },
  {
    name: 'forgets who may not look up',
    killedBy: 'privacy.rights',
    api: {
      reply: (reply) => {
        if (reply.status === 403) reply.status = 200
      },
    },
  },
  {
    name: 'writes the body anew after signing',
    killedBy: 'deliveries.events',
    deliveries: {
      request: (message) => {
        message.body = JSON.stringify(JSON.parse(message.body), null, 1)
      },
    },
  },
  {
    name: 'gives each attempt an id of its own',
    killedBy: 'deliveries.same-bytes',
    deliveries: {
      request: ({ headers }) => {
        openings += 1
        headers['webhook-id'] = `${headers['webhook-id']}${openings}`
      },
    },
  },
  {
    name: 'takes a redirect for success',
    killedBy: 'deliveries.statuses',
    deliveries: { reply: onStatus(302, 200) },
  },
  {
    name: 'takes 429 for success',
    killedBy: 'deliveries.statuses',
    deliveries: { reply: onStatus(429, 200) },
  },
  {
    name: 'swallows a 410',
    killedBy: 'deliveries.gone',
    deliveries: { reply: onStatus(410, 500) },
  },
  {
    name: 'gives up on the callback without telling',
    killedBy: 'callbacks.failed',
    deliveries: { reply: onStatus(410, 204) },
  },
  {
    name: 'drops the old secret at once',
    killedBy: 'subscriptions.rotation',
    deliveries: {
      request: ({ headers }) => {
        headers['webhook-signature'] = (headers['webhook-signature'] ?? '').split(' ')[0] ?? ''
      },
    },
  },
  {
    name: 'takes any answer for the challenge',
    killedBy: 'subscriptions.challenge',
    deliveries: {
      reply: (reply, { body }) => {
        const { challenge } = JSON.parse(body)
        if (typeof challenge === 'string') reply.body = JSON.stringify({ challenge })
      },
    },
  },
  {
    name: 'forgets when it was turned off',
    killedBy: 'subscriptions.missed',
    deliveries: {
      request: (message) => replaceIn(message, /"missedFrom":"2/g, '"missedFrom":"3'),
    },
  },
  {
    name: 'ignores Retry-After',
    killedBy: 'schedule.retry-after',
    deliveries: { reply: ({ headers }) => void delete headers['retry-after'] },
  },
  ...brokenCaseServers,
  ...brokenIngestServers,
  ...brokenAccountServers,
]

let openings = 0
