import type { BrokenServer } from './broken-server.ts'
import { answering, onPath, replaceIn, rewriting, sending } from './relay.ts'

/** Faults of logins, applications, keys, staff, alerts, chats, the sandbox and the log of deliveries. */
export const brokenAccountServers: readonly BrokenServer[] = [
  {
    name: 'lets scripts read the cookie of a session',
    killedBy: 'access.login',
    api: {
      reply: onPath(/\/auth\/login$/, ({ headers }) => {
        headers['set-cookie'] = (headers['set-cookie'] ?? '').replace(/httponly/gi, 'path=/')
      }),
    },
  },
  {
    name: 'keeps a session after its logout',
    killedBy: 'access.logout',
    api: answering(/\/auth\/session$/, 401, 200),
  },
  {
    name: 'takes any password for the current one',
    killedBy: 'passwords.change',
    api: answering(/\/auth\/password$/, 401, 200),
  },
  {
    name: 'enrols a second authenticator by the password',
    killedBy: 'authenticators.own',
    api: answering(/\/authenticators\/registrations$/, 409, 200),
  },
  {
    name: 'takes the decision of who signs unsigned',
    killedBy: 'authenticators.signed',
    api: answering(/\/decide$/, 409, 200),
  },
  {
    name: 'lets an admin revoke their own authenticator by their session',
    killedBy: 'authenticators.lost',
    api: answering(/\/members\/[^/]+\/authenticators\/[^/]+$/, 409, 200),
  },
  {
    name: 'takes any assertion for a weaker setting',
    killedBy: 'authenticators.weaker',
    api: answering(/\/sign-in-rule$/, 422, 200),
  },
  {
    name: 'takes the answer of a passkey from another browser',
    killedBy: 'authenticators.passkey',
    api: answering(/\/auth\/passkey$/, 401, 200),
  },
  {
    name: 'tells who has an account when a reset is asked for',
    killedBy: 'passwords.reset',
    api: answering(/\/password\/reset$/, 202, 404),
  },
  {
    name: 'describes itself in another version',
    killedBy: 'descriptions.apis',
    api: rewriting(/\/openapi\.json$/, /"openapi":"3\.1/, '"openapi":"3.0'),
  },
  {
    name: 'leaves a type out of the catalogue',
    killedBy: 'descriptions.events',
    api: rewriting(/\/event-catalog$/, /"application\.promoted"/g, '"application.raised"'),
  },
  {
    name: 'has a sandbox without alert rules',
    killedBy: 'sandbox.reads',
    api: {
      reply: (reply, { path, headers }) => {
        if (headers['x-service-sandbox'] && path === '/v1/alert-rules')
          reply.body = '{"alertRules":[]}'
      },
    },
  },
  {
    name: 'publishes no keys of the sandbox',
    killedBy: 'sandbox.evidence',
    api: answering(/\/evidence-keys\//, 200, 404),
  },
  {
    name: 'lowers the stage of an application',
    killedBy: 'applications.stages',
    api: answering(/\/promote$/, 409, 200),
  },
  {
    name: 'takes sessions of an application that is being deleted',
    killedBy: 'applications.deletion',
    api: answering(/\/ingest\//, 410, 200),
  },
  {
    name: 'deletes what is held',
    killedBy: 'applications.held',
    api: answering(/\/purge$/, 409, 200),
  },
  {
    name: 'keeps the name of what it purged',
    killedBy: 'purge.purge',
    api: rewriting(/\/applications\/[^/]+$/, /"name":null/, '"name":"Kept"'),
  },
  {
    name: 'opens cases to a revoked application key',
    killedBy: 'keys.application-keys',
    api: answering(/\/review-cases\//, 401, 200),
  },
  {
    name: 'knows a key by its whole text',
    killedBy: 'keys.issue',
    api: answering(/\/usage$/, 401, 200),
  },
  {
    name: 'issues keys without end',
    killedBy: 'keys.most',
    api: answering(/\/issue$/, 409, 200),
  },
  {
    name: 'takes the same request of a key twice',
    killedBy: 'key-requests.cancelled',
    api: answering(/\/issue-secondary-key$/, 409, 200),
  },
  {
    name: 'reveals a key twice',
    killedBy: 'key-requests.revealed',
    api: answering(/\/reveal$/, 410, 200),
  },
  {
    name: 'forgets that staff rejected a request',
    killedBy: 'key-requests.rejected',
    api: rewriting(/\/requests\/req_[^/]+$/, /"status":"rejected"/, '"status":"submitted"'),
  },
  {
    name: 'opens its staff host to anyone',
    killedBy: 'staff.credentials',
    api: answering(/\/purge-poison$/, 401, 200),
  },
  {
    name: 'lets a suspended organization in',
    killedBy: 'staff.suspension',
    api: answering(/\/applications$/, 503, 200),
  },
  {
    name: 'keeps data longer than the plan says',
    killedBy: 'staff.plans',
    api: rewriting(/\/entitlements$/, /"retentionDays":7\b/, '"retentionDays":8'),
  },
  {
    name: 'makes applications of an organization that is being deleted',
    killedBy: 'staff.deletion',
    api: answering(/\/applications$/, 409, 200),
  },
  {
    name: 'signs what goes to a chat',
    killedBy: 'channels.slack',
    deliveries: {
      request: ({ headers }) => {
        headers['webhook-signature'] = 'v1,AAAA'
      },
    },
  },
  {
    name: 'sends cards of a later version',
    killedBy: 'channels.teams',
    deliveries: sending(/"version":"1\.4"/, '"version":"1.5"'),
  },
  {
    name: 'lets every member test a chat',
    killedBy: 'channels.rights',
    api: answering(/\/notification-channels\/.*\/test$/, 403, 200),
  },
  {
    name: 'keeps another severity of an alert rule',
    killedBy: 'alerts.rules',
    api: rewriting(/\/alert-rules\//, /"severity":"info"/, '"severity":"warning"'),
  },
  {
    name: 'tells another value than crossed the threshold',
    killedBy: 'alerts.crossing',
    deliveries: sending(/"currentValue":1\b/, '"currentValue":2'),
  },
  {
    name: 'gives no reason for a change of health',
    killedBy: 'alerts.health',
    deliveries: sending(/"reasons":\["critical_alert"\]/, '"reasons":[]'),
  },
  {
    name: 'publishes the newest evidence key alone',
    killedBy: 'signing-keys.evidence',
    api: {
      reply: onPath(/\/evidence-keys\//, (reply) => {
        const { keys } = JSON.parse(reply.body) as { keys: readonly unknown[] }
        reply.body = JSON.stringify({ keys: keys.slice(-1) })
      }),
    },
  },
  {
    name: 'drops the old key as soon as the new one signs',
    killedBy: 'signing-keys.webhooks',
    deliveries: {
      request: ({ headers }) => {
        headers['webhook-signature'] = (headers['webhook-signature'] ?? '').split(' ')[0] ?? ''
      },
    },
  },
  {
    name: 'logs another answer than came',
    killedBy: 'recovery.logs',
    api: rewriting(/\/delivery-logs$/, /short and stout/, 'tall and thin'),
  },
  {
    name: 'recovers nothing',
    killedBy: 'recovery.recover',
    api: rewriting(/\/recover$/, /"replayed"/g, '"already_delivered"'),
  },
  {
    name: 'empties what a change did not name',
    killedBy: 'recovery.challenge-again',
    api: {
      request: (message) => {
        if (message.method === 'PUT' && /\/webhooks\//.test(message.path))
          replaceIn(message, /^\{/, '{"description":null,')
      },
    },
  },
]
