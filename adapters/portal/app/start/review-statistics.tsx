import type { ReviewStatisticsAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Empty, Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { tookOf } from '../parts/time.tsx'
import { briefShareOf, closedOf, shareOf } from './shares.ts'

type Counts = ReviewStatisticsAnswer['all']
type Day = ReviewStatisticsAnswer['days'][number]
type Reviewer = ReviewStatisticsAnswer['reviewers'][number]

const days = 30

/** How cases ended in the last days, and how soon, for admins. */
export function ReviewStatistics() {
  const read = useRead(`${days}`, (signal) => api.portal.readStatistics({ days }, { signal }), {
    everyMs: 10_000,
  })
  return (
    <section aria-labelledby="statistics">
      <h2 id="statistics">Decisions of the last {days} days</h2>
      <Shown of={read}>
        {(found) =>
          closedOf(found.all) === 0 ? (
            <Empty>No case ended in this time.</Empty>
          ) : (
            <>
              <p>
                {closedOf(found.all) === 1 ? '1 case' : `${closedOf(found.all)} cases`} ended.{' '}
                {shareOf(found.all)} of those that were decided were approved; half of them within{' '}
                {timeOf(found.all)}.
              </p>
              <Bars days={found.days} />
              <details>
                <summary>By day, in numbers</summary>
                <Rows
                  caption="By day"
                  columns={[{ head: 'Day', cell: ({ day }) => day }, ...columns]}
                  rows={found.days.filter((day) => closedOf(day) > 0)}
                  keyOf={({ day }) => day}
                />
              </details>
              <h3>By tier</h3>
              <Rows
                caption="By tier"
                columns={[{ head: 'Tier', cell: ({ reviewTier }) => reviewTier }, ...columns]}
                rows={found.tiers}
                keyOf={({ reviewTier }) => reviewTier}
              />
              <h3>By reviewer</h3>
              <Rows
                caption="By reviewer"
                columns={[reviewer, ...columns]}
                rows={found.reviewers}
                keyOf={({ memberId }) => memberId}
              />
              {found.all.viewed > 0 && <InView found={found} />}
            </>
          )
        }
      </Shown>
    </section>
  )
}

const reviewer: Column<Reviewer> = {
  head: 'Reviewer',
  cell: ({ name, memberId }) => <bdi>{name ?? memberId}</bdi>,
}

const columns: readonly Column<Counts>[] = [
  { head: 'Approved', cell: ({ approved }) => approved },
  { head: 'Rejected', cell: ({ rejected }) => rejected },
  { head: 'Responses', cell: ({ responseSubmitted }) => responseSubmitted },
  {
    head: 'Otherwise',
    cell: ({ cancelled, expired }) => `${cancelled} cancelled, ${expired} expired`,
  },
  { head: 'Approved of decided', cell: shareOf },
  { head: 'Median time', cell: timeOf },
]

function timeOf({ medianMs }: Counts): string {
  return medianMs === null ? '–' : tookOf(medianMs)
}

function viewOf({ medianViewedMs }: Counts): string {
  return medianViewedMs === null ? '–' : tookOf(medianViewedMs)
}

/** For how long reviewers had cases in view: who decides within seconds can hardly have read them. */
function InView({ found: { all, reviewers } }: { readonly found: ReviewStatisticsAnswer }) {
  return (
    <>
      <h3>Time in view</h3>
      <p>
        Half of the decisions took at most {viewOf(all)} in view of the case; {briefShareOf(all)}{' '}
        took less than 5 s.
      </p>
      <Rows
        caption="Time in view"
        columns={[
          reviewer,
          { head: 'Decisions', cell: ({ viewed }) => viewed },
          { head: 'Median in view', cell: viewOf },
          { head: 'In less than 5 s', cell: briefShareOf },
        ]}
        rows={reviewers.filter(({ viewed }) => viewed > 0)}
        keyOf={({ memberId }) => memberId}
      />
    </>
  )
}

const [barWidth, gap, height] = [12, 4, 96]

/** A bar a day: what was approved, below all that ended; its numbers stand in the table. */
function Bars({ days: all }: { readonly days: readonly Day[] }) {
  const most = Math.max(1, ...all.map(closedOf))
  const tall = (count: number) => (count / most) * height
  return (
    <figure class="by-day">
      <svg
        viewBox={`0 0 ${all.length * (barWidth + gap)} ${height}`}
        role="img"
        aria-label={`Cases that ended, by day; at most ${most} a day. The table below has the numbers.`}
      >
        {all.map((day, at) => {
          const [ended, approved] = [tall(closedOf(day)), tall(day.approved)]
          const x = at * (barWidth + gap)
          return (
            <g key={day.day}>
              <rect class="ended" x={x} y={height - ended} width={barWidth} height={ended} />
              <rect
                class="approved"
                x={x}
                y={height - approved}
                width={barWidth}
                height={approved}
              />
            </g>
          )
        })}
      </svg>
      <figcaption class="quiet">
        From {all[0]?.day} to {all.at(-1)?.day}; filled: approved, outlined: ended in another way.
      </figcaption>
    </figure>
  )
}
