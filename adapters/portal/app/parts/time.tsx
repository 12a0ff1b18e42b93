import { computed } from '@preact/signals'
import { preferences } from '../preferences.ts'

const formats = computed(() => {
  const { timeZone } = preferences.value
  const place = timeZone === '' ? {} : { timeZone }
  return {
    whole: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long', ...place }),
    short: new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short', ...place }),
  }
})

/** A moment, in the time zone that the reader chose; the whole of it when one points at it. */
export function Time({
  at,
  exact = false,
}: {
  readonly at: string | null
  /** To the second. */
  readonly exact?: boolean
}) {
  if (at === null) return <span class="quiet">–</span>
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  const { whole, short } = formats.value
  return (
    <time dateTime={at} title={whole.format(date)}>
      {(exact ? whole : short).format(date)}
    </time>
  )
}

const steps = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** A length of time in its largest unit; under an hour in minutes and seconds, as deadlines are counted. */
export function lengthOf(ms: number): string {
  const size = Math.abs(ms)
  if (size < 3_600_000) {
    const seconds = Math.floor(size / 1000)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }
  const [unit, of] = steps.find(([, each]) => size >= each) ?? steps[2]
  return `${Math.floor(size / of)} ${unit}`
}

/** How long something took: as `lengthOf`, and under a minute in whole seconds, rounded up. */
export function tookOf(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1000)} s` : lengthOf(ms)
}
