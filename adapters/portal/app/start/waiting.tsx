import type { SummaryAnswer } from '@countersign/client'
import { useSummaryReading } from '../client/use-summary.ts'
import { Shown } from '../parts/page.tsx'
import { to } from '../paths.ts'
import { isAdmin, may } from '../session.ts'

/** A reviewer has cases to look after; where webhooks fail, others are asked. */
const looksAfterWebhooks = () => isAdmin.value || may('Manage Integrations') || !may('Review Cases')

/** What waits for the member, in numbers; each leads to what it counts. */
export function Waiting() {
  const read = useSummaryReading()
  return (
    read && (
      <Shown of={read}>
        {({ reviewCases, webhooks }) => (
          <>
            {reviewCases && <Cases cases={reviewCases} />}
            {looksAfterWebhooks() && <Webhooks webhooks={webhooks} />}
          </>
        )}
      </Shown>
    )
  )
}

function Cases({ cases }: { readonly cases: NonNullable<SummaryAnswer['reviewCases']> }) {
  const counts = [
    ['mine', 'Mine', cases.mine],
    ['unassigned', 'Unassigned', cases.unassigned],
    ['overdue', 'Overdue', cases.overdue],
    ['answered', 'Answered', cases.answered],
  ] as const
  return (
    <section aria-labelledby="open-cases">
      <h2 id="open-cases">Open cases</h2>
      <ul class="counts">
        {counts.map(([view, name, count]) => (
          <li key={view}>
            <a href={to(`/queue?view=${view}`)}>
              <span class={view === 'overdue' && count > 0 ? 'count bad' : 'count'}>{count}</span>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Webhooks({ webhooks }: { readonly webhooks: SummaryAnswer['webhooks'] }) {
  const { turnedOff, failing, unverified, deadLettered } = webhooks
  const troubles = [
    turnedOff > 0 && `${turnedOff} turned off`,
    failing > 0 && `${failing} failing`,
    unverified > 0 && `${unverified} not verified`,
    deadLettered > 0 &&
      `${deadLettered} ${deadLettered === 1 ? 'delivery' : 'deliveries'} given up`,
  ].filter((trouble) => trouble !== false)
  return (
    <section aria-labelledby="webhooks-state">
      <h2 id="webhooks-state">Webhooks</h2>
      {troubles.length === 0 ? (
        <p>Nothing asks for attention.</p>
      ) : (
        <p>
          <a href={to('/webhooks')}>
            <span class="bad">{troubles.join(', ')}</span>
          </a>
        </p>
      )}
    </section>
  )
}
