/** Ms before an end at which it is spoken. */
const spokenAt = [600_000, 120_000, 30_000] as const

/** What is spoken when the time left went from one length to another, in ms; null: nothing. */
export function spokenBetween(before: number, now: number): string | null {
  const passed = spokenAt.filter((ms) => before > ms && now <= ms && now > 0)
  const nearest = passed.at(-1)
  if (nearest === undefined) return null
  return nearest >= 60_000 ? `${nearest / 60_000} minutes left` : `${nearest / 1_000} seconds left`
}
