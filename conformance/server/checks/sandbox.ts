import { expect, expectEqual } from '../../assert.ts'
import { canonicalText } from '../../canonical.ts'
import { group } from '../check.ts'
import { signedBy } from '../evidence-keys.ts'
import { type Body, granted, refused, type World } from '../world.ts'

const headers = { 'x-service-sandbox': 'true' }
/** A server may seed it when it is first looked at. */
const withinMs = 60_000
const look = (world: World, path: string) =>
  world.reviewer.ask({ method: 'GET', path, headers, withinMs })

/** Lists that the seeded organization has rows in. */
const lists = {
  '/v1/applications': 'applications',
  '/v1/sessions': 'sessions',
  '/v1/review-cases': 'reviewCases',
  '/v1/webhooks': 'webhooks',
  '/v1/customer-keys': 'customerKeys',
  '/v1/customer-keys/requests': 'keyRequests',
  '/v1/alert-rules': 'alertRules',
  '/v1/customer/notification-channels': 'notificationChannels',
  '/v1/customer/members': 'members',
  '/v1/gdpr/erasure-requests': 'erasureRequests',
  '/v1/gdpr/legal-holds': 'legalHolds',
} as const

export const sandboxChecks = group('sandbox', 'interface, Authentication', [
  {
    name: 'reads',
    promise: 'the sandbox shows its own content, with the caller’s own rights',
    run: async (world) => {
      for (const [path, members] of Object.entries(lists)) {
        const rows = granted(await look(world, path))[members]
        expect(Array.isArray(rows) && rows.length > 0, `expected ${members} in the sandbox`)
      }
      const [application] = granted(await look(world, '/v1/applications'))
        .applications as readonly Body[]
      const path = `/v1/applications/${String(application?.applicationId)}`
      refused(await world.reviewer.get(path), 404, 'not_found')
      const own = granted(await look(world, '/v1/auth/session'))
      expectEqual(own.tenantId, world.tenantId, 'the organization of the session')
      const odd = { 'x-service-sandbox': 'perhaps' }
      refused(await world.reviewer.ask({ method: 'GET', path: '/v1/webhooks', headers: odd }), 400)
    },
  },
  {
    name: 'evidence',
    promise: 'evidence of the sandbox verifies by keys that are published',
    run: async (world) => {
      const [session] = granted(await look(world, '/v1/sessions')).sessions as readonly Body[]
      const { sessionId, applicationId } = session ?? {}
      const path = `/v1/sessions/${String(sessionId)}/evidence?applicationId=${String(applicationId)}`
      const { signatures, ...signed } = granted(await look(world, path))
      const [first] = signatures as readonly Body[]
      const text = canonicalText(signed)
      const tenantId = String(signed.tenantId)
      await signedBy(world, text, String(first?.keyId), String(first?.sig), tenantId)
    },
  },
])
