import { ApiError } from '@countersign/client'
import { api } from '../client/api.ts'
import { signByAny } from './browser.ts'
import { challengeOf } from './challenge.ts'
import { NotSigned } from './not-signed.ts'

/** Logs in by a passkey that the user picks. Rejects with `NotSigned`, and as the API refuses. */
export async function signInByPasskey(): Promise<void> {
  const { statement, options } = await api.auth.startPasskey({})
  // What signs in must be the signature of nothing else.
  if (statement.statementType !== 'sign-in')
    throw new NotSigned(
      'The service asked to sign something else than a login. Nothing was signed.',
    )
  const signed = await signByAny(options, challengeOf(statement))
  try {
    await api.auth.passkey({ credential: { statement, ...signed } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_credentials') throw error
    throw new NotSigned(
      'This passkey logs nobody in: it was revoked, is for signing decisions, or took longer than 5 minutes.',
    )
  }
}
