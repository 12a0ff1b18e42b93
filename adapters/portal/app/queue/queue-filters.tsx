import { useLocation } from 'preact-iso'
import { plainLine } from '../case/safe-text.ts'
import { useSummary } from '../client/use-summary.ts'
import { to } from '../paths.ts'
import { isAdmin } from '../session.ts'
import { type QueueFilter, queryOf, states, tiers, views } from './filters.ts'

const viewNames: Readonly<Record<QueueFilter['view'], string>> = {
  all: 'All',
  mine: 'Mine',
  unassigned: 'Unassigned',
  overdue: 'Overdue',
  answered: 'Answered',
  idle: 'Without a step',
}

/** Only admins hand over what others let lie. */
const shownViews = (now: QueueFilter['view']) =>
  views.filter((view) => view !== 'idle' || isAdmin.value || view === now)

/** Which cases are listed: views with their numbers, and choices beside them; each is an address of its own. */
export function QueueFilters({
  filter,
  applications,
}: {
  readonly filter: QueueFilter
  readonly applications: ReadonlyMap<string, string>
}) {
  const { route } = useLocation()
  const counts = useSummary()?.reviewCases
  const go = (change: Partial<Record<keyof QueueFilter, string>>) => {
    const { tier, state, applicationId, view } = { ...filter, ...change }
    const next = { view, tier, state, applicationId } as QueueFilter
    route(to(`/queue${queryOf(next)}`))
  }
  return (
    <div class="queue-filters">
      <ul>
        {shownViews(filter.view).map((view) => (
          <li key={view}>
            <a
              href={to(`/queue${queryOf({ ...filter, view })}`)}
              aria-current={view === filter.view ? 'true' : undefined}
            >
              {viewNames[view]} {view !== 'all' && view !== 'idle' && counts?.[view]}
            </a>
          </li>
        ))}
      </ul>
      <label>
        Tier{' '}
        <select
          value={filter.tier ?? ''}
          onChange={(event) => go({ tier: event.currentTarget.value })}
        >
          <option value="">all</option>
          {tiers.map((tier) => (
            <option key={tier} value={tier}>
              {tier}
            </option>
          ))}
        </select>
      </label>
      <label>
        Application{' '}
        <select
          value={filter.applicationId ?? ''}
          onChange={(event) => go({ applicationId: event.currentTarget.value })}
        >
          <option value="">all</option>
          {[...applications].map(([id, name]) => (
            <option key={id} value={id}>
              {plainLine(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        State{' '}
        <select
          value={filter.state ?? 'open'}
          onChange={(event) => go({ state: event.currentTarget.value })}
        >
          {states.map((state) => (
            <option key={state} value={state}>
              {state}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
