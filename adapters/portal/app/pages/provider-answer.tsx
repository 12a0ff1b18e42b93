import { ApiError } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api } from '../client/api.ts'
import { useWrite } from '../client/use-write.ts'
import { Failure } from '../parts/failure.tsx'
import { Page } from '../parts/page.tsx'
import { ownPath, to } from '../paths.ts'
import { takeAnswer, takeDestination } from '../provider-login.ts'
import { logIn } from '../session.ts'

/** Where the organization’s provider sends the browser back to; what it brings is good once. */
export default function ProviderAnswer() {
  const { route } = useLocation()
  const writing = useWrite()
  const isRefused = useSignal(false)
  useEffect(() => {
    void writing
      .run(async () => {
        const query = takeAnswer()
        await logIn(() => api.auth.provider({ query }))
        return true
      })
      .then((done) => {
        const error = writing.error.peek()
        // An address that brings no answer at all: nothing was entered here that could be wrong.
        isRefused.value =
          error instanceof ApiError &&
          (error.code === 'invalid_credentials' || error.code === 'invalid_request')
        if (done) route(ownPath(takeDestination()), true)
      })
  }, [])
  const hasFailed = writing.error.value !== null
  return (
    <Page title={hasFailed ? 'You were not let in' : 'Logging in'}>
      {isRefused.value ? (
        <p role="alert">
          Your organization&apos;s login was not finished within 5 minutes in this browser, or you
          are no member. If it goes on, tell an admin of your organization.
        </p>
      ) : (
        <Failure error={writing.error.value} />
      )}
      {hasFailed && (
        <p>
          <a href={to('/login')}>Log in again</a>
        </p>
      )}
    </Page>
  )
}
