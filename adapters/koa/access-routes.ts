import {
  acceptInvitation,
  acceptPasswordReset,
  changePassword,
  login,
  logout,
  readInvitation,
  readMemberSession,
  readProvider,
  readSignInRule,
  removeProvider,
  requestPasswordReset,
  setProvider,
  setSignInRule,
  signInByPasskey,
  signInByProvider,
  startPasskeySignIn,
  startProvider,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import {
  beginningAtProvider,
  beginningSignIn,
  clearingSession,
  endingSignIn,
  issuingSession,
} from './login-reply.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const small = { limit: smallBody }
const password = '/v1/auth/password'
const provider = '/v1/auth/provider'
const settings = '/v1/customer/sign-in-provider'
const rule = '/v1/customer/sign-in-rule'

/** Login and logout, the provider that logs in, invitations, and passwords, whose throttles are not that of logins. */
export const accessRoutes: readonly Route[] = [
  http(login, 'POST', '/v1/auth/login', { ...small, throttled: true, reply: issuingSession }),
  http(startPasskeySignIn, 'POST', '/v1/auth/passkey/options', {
    ...small,
    reply: beginningSignIn,
  }),
  http(signInByPasskey, 'POST', '/v1/auth/passkey', {
    ...small,
    throttled: true,
    reply: endingSignIn,
  }),
  http(startProvider, 'POST', `${provider}/start`, { ...small, reply: beginningAtProvider }),
  http(signInByProvider, 'POST', provider, { throttled: true, reply: endingSignIn }),
  http(logout, 'POST', '/v1/auth/logout', { ...small, reply: clearingSession }),
  http(readMemberSession, 'GET', '/v1/auth/session'),
  http(readInvitation, 'POST', '/v1/auth/invitation', { ...small, throttled: true }),
  http(acceptInvitation, 'POST', '/v1/auth/accept-invitation', { ...small, throttled: true }),
  http(changePassword, 'POST', password, { ...small, reply: issuingSession }),
  http(requestPasswordReset, 'POST', `${password}/reset`, { ...small, status: 202 }),
  http(acceptPasswordReset, 'POST', `${password}/reset/accept`, small),
  http(readProvider, 'GET', settings),
  http(setProvider, 'PUT', settings),
  http(removeProvider, 'POST', `${settings}/remove`),
  http(readSignInRule, 'GET', rule),
  http(setSignInRule, 'PUT', rule),
]
