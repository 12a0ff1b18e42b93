import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { serverNow } from '../client/api.ts'
import { spokenBetween } from './deadline.ts'
import { lengthOf } from './time.tsx'

/** The service's time, told again each second while it can be seen. */
export function useServerNow(): number {
  const now = useSignal(serverNow())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = serverNow()
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  return now.value
}

/** How long until a moment, or since; `spoken`: also told aloud near its end. */
export function TimeLeft({
  until,
  spoken = false,
}: {
  readonly until: string
  readonly spoken?: boolean
}) {
  const left = Date.parse(until) - useServerNow()
  const before = useRef(left)
  const says = useRef('')
  says.current = spokenBetween(before.current, left) ?? says.current
  before.current = left
  if (Number.isNaN(left)) return <span>{until}</span>
  return (
    <>
      <time dateTime={until}>{left >= 0 ? `in ${lengthOf(left)}` : `${lengthOf(left)} ago`}</time>
      {spoken && (
        <span role="status" class="unseen">
          {says.current}
        </span>
      )}
    </>
  )
}
