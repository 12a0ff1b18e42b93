import { ApiError } from '@countersign/client'
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { NotSigned } from '../authenticators/not-signed.ts'
import { NotSent } from '../client/connection.ts'
import { NotLoaded } from '../client/load.ts'
import { sentences } from '../errors.ts'

/** What went wrong, in a sentence; the faults of an input, the seconds to wait, and the number of the service's log. */
export function Failure({
  error,
  again,
}: {
  readonly error: unknown
  readonly again?: () => void
}) {
  const box = useRef<HTMLDivElement>(null)
  // Who can not see the page is led to what stopped them.
  useLayoutEffect(() => {
    if (error && !again) box.current?.focus()
  }, [error])
  if (!error) return null
  const known = error instanceof ApiError ? error : null
  return (
    <div class="failure" role="alert" tabIndex={-1} ref={box}>
      <p>{sentenceOf(error)}</p>
      {known && known.errors.length > 0 && (
        <ul>
          {known.errors.map(({ detail, pointer, parameter }) => (
            <li key={`${pointer}${parameter}${detail}`}>{detail}</li>
          ))}
        </ul>
      )}
      {known?.retryAfter != null && <Countdown seconds={known.retryAfter} error={error} />}
      {!known && !isOwn(error) && <p class="quiet">{String(error)}</p>}
      {known?.requestId && known.code === 'internal' && (
        <p class="quiet">
          Number in the log: <code>{known.requestId}</code>
        </p>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
}

const isOwn = (error: unknown): boolean =>
  error instanceof NotSent || error instanceof NotSigned || error instanceof NotLoaded

/** What went wrong, in a sentence. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return sentences[error.code]
  if (error instanceof NotSent)
    return 'There is no connection: nothing was sent. What you typed is still here.'
  if (error instanceof NotSigned) return error.message
  if (error instanceof NotLoaded)
    return 'A part of this page did not load. Check the connection; if it stays so, load the page again, for the service may have been updated.'
  return 'This part of the page is broken.'
}

/** Seconds until another try makes sense, counted down. */
function Countdown({ seconds, error }: { readonly seconds: number; readonly error: unknown }) {
  const left = useSignal(seconds)
  useEffect(() => {
    const until = performance.now() + seconds * 1000
    left.value = seconds
    const timer = setInterval(() => {
      left.value = Math.max(0, Math.ceil((until - performance.now()) / 1000))
    }, 500)
    return () => clearInterval(timer)
  }, [error])
  return <p>{left.value > 0 ? `Try again in ${left.value} s.` : 'You can try again now.'}</p>
}
