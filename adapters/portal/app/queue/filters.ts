/** Which cases are listed, as the address tells it. */
export interface QueueFilter {
  readonly view: (typeof views)[number]
  readonly tier?: Tier
  readonly state?: State
  readonly applicationId?: string
}

export const views = ['all', 'mine', 'unassigned', 'overdue', 'answered', 'idle'] as const
/** So long a reviewer has done nothing with a case that is idle. */
export const idleMinutes = 30
export const tiers = ['urgent', 'high', 'standard'] as const
export const states = ['open', 'decided', 'cancelled', 'expired'] as const
type Tier = (typeof tiers)[number]
type State = (typeof states)[number]

/** Reads the filter of an address; what it does not know is passed over. */
export function filterOf(query: Readonly<Record<string, string | undefined>>): QueueFilter {
  const view = views.find((one) => one === query.view) ?? 'all'
  const tier = tiers.find((one) => one === query.tier)
  const state = states.find((one) => one === query.state)
  const { applicationId } = query
  return {
    view,
    ...(tier && { tier }),
    ...(state && state !== 'open' && { state }),
    ...(applicationId && { applicationId }),
  }
}

/** The address of a filter, as a query with its `?`; empty for that of all open cases. */
export function queryOf({ view, tier, state, applicationId }: QueueFilter): string {
  const query = new URLSearchParams({
    ...(view !== 'all' && { view }),
    ...(tier && { tier }),
    ...(state && { state }),
    ...(applicationId && { applicationId }),
  }).toString()
  return query && `?${query}`
}
