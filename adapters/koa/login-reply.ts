import { issuedSession, type LoginView } from '@countersign/core/access'
import { line, object } from '@countersign/core/kernel'
import { longest } from '@countersign/core/ledger'
import { logout } from '@countersign/core/operations'
import type { ReplyOf } from './bind/http.ts'
import { deviceCookie, sessionCookie } from './session.ts'

/** The answer that issues a session, with its cookies. */
export const issuingSession: ReplyOf<LoginView> = {
  gives: object({ ...issuedSession, cookieName: line(longest.name) }, 'Login'),
  headers: ['Set-Cookie'],
  of(ctx, { token, device, ...session }) {
    sessionCookie.set(ctx, token)
    deviceCookie.set(ctx, device)
    return { token, cookieName: sessionCookie.name, ...session }
  },
}

/** The answer that ends a session, whose cookie goes with it. */
export const clearingSession: ReplyOf<object> = {
  gives: logout.gives,
  headers: ['Set-Cookie'],
  of(ctx, answer) {
    sessionCookie.clear(ctx)
    return answer
  },
}
