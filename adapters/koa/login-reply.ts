import { issuedSession, type LoginView } from '@countersign/core/access'
import { line, type OutOf, object } from '@countersign/core/kernel'
import { longest } from '@countersign/core/ledger'
import {
  begunAtProvider,
  begunSignIn,
  logout,
  type startPasskeySignIn,
  type startProvider,
} from '@countersign/core/operations'
import type { ReplyOf } from './bind/http.ts'
import { deviceCookie, sessionCookie, signInCookie } from './session.ts'

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

/** The answer that begins a sign-in by passkey, whose browser keeps a cookie of it. */
export const beginningSignIn: ReplyOf<OutOf<typeof startPasskeySignIn.gives>> = {
  gives: begunSignIn,
  headers: ['Set-Cookie'],
  of(ctx, { browserToken, ...begun }) {
    signInCookie.set(ctx, browserToken)
    return begun
  },
}

/** The answer that begins a sign-in by a provider, whose browser keeps a cookie of it. */
export const beginningAtProvider: ReplyOf<OutOf<typeof startProvider.gives>> = {
  gives: begunAtProvider,
  headers: ['Set-Cookie'],
  of(ctx, { browserToken, ...begun }) {
    signInCookie.set(ctx, browserToken)
    return begun
  },
}

/** The answer that ends a sign-in by passkey or provider with a session. */
export const endingSignIn: ReplyOf<LoginView> = {
  ...issuingSession,
  of(ctx, session) {
    signInCookie.clear(ctx)
    return issuingSession.of(ctx, session)
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
