import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { serverNow } from '../client/api.ts'
import { spokenBetween } from './deadline.ts'
import { lengthOf } from './time.tsx'

let timer = 0
/** Counts seconds while anything drawn tells a time that passes: one timer for all rows of a list. */
const seconds = signal(0, {
  watched: () => {
    timer = window.setInterval(() => seconds.value++, 1_000)
  },
  unwatched: () => window.clearInterval(timer),
})

/** The service's time, told again each second while it can be seen. */
export function useServerNow(): number {
  // Read for its change alone, after which the component is drawn again.
  void seconds.value
  return serverNow()
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
