import { password } from './world.ts'

/** Rows of `requests` for OpenID providers, of which the home organization has none, and for ways of signing in. */
export const providerRequests = {
  'POST portal /v1/auth/provider/start': () => ({
    audience: 'anyone' as const,
    granted: { status: 404, code: 'not_found' },
  }),
  'POST portal /v1/auth/provider': () => ({
    audience: 'anyone' as const,
    granted: { status: 401, code: 'invalid_credentials' },
  }),
  'GET portal /v1/customer/sign-in-provider': () => ({ audience: 'members' as const }),
  'PUT portal /v1/customer/sign-in-provider': () => ({
    audience: 'admins' as const,
    optional: { password, clientSecret: 'a secret of the client' },
    // No domain of the world has the record.
    granted: { status: 400, code: 'invalid_request' },
  }),
  'GET portal /v1/customer/sign-in-rule': () => ({ audience: 'members' as const }),
  'PUT portal /v1/customer/sign-in-rule': () => ({
    audience: 'admins' as const,
    optional: { password },
  }),
  'POST portal /v1/customer/sign-in-provider/remove': () => ({
    audience: 'admins' as const,
    optional: { password },
  }),
}
