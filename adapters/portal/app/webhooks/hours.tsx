import type { WebhookStatisticsAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { useRead } from '../client/use-read.ts'
import { Shown } from '../parts/page.tsx'
import { type Column, Rows } from '../parts/rows.tsx'
import { Time } from '../parts/time.tsx'

type Hour = WebhookStatisticsAnswer['hours'][number]

const columns: readonly Column<Hour>[] = [
  { head: 'Hour', cell: ({ from }) => <Time at={from} /> },
  { head: 'Delivered', cell: ({ delivered }) => delivered },
  { head: 'Failed', cell: ({ failed }) => failed },
  { head: 'Median', cell: ({ p50Ms }) => took(p50Ms) },
  { head: '95 %', cell: ({ p95Ms }) => took(p95Ms) },
]

/** How the tries of the last 24 hours ended: bars, and the same as a table. */
export function Hours({ webhookId }: { readonly webhookId: string }) {
  const read = useRead(
    `hours ${webhookId}`,
    (signal) => api.webhooks.statistics({ webhookId, hours: 24 }, { signal }),
    { everyMs: 30_000 },
  )
  return (
    <section aria-labelledby="hours">
      <h2 id="hours">24 hours</h2>
      <Shown of={read}>
        {({ hours }) => (
          <>
            <p>
              Tries delivered (filled): {sum(hours, 'delivered')} · failed (hollow):{' '}
              {sum(hours, 'failed')}
            </p>
            <Bars hours={hours} />
            <details>
              <summary>The same as a table</summary>
              <Rows
                caption="Tries of 24 hours"
                columns={columns}
                rows={hours.toReversed()}
                keyOf={({ from }) => from}
              />
            </details>
          </>
        )}
      </Shown>
    </section>
  )
}

const barWidth = 10
const chartHeight = 60

/** A bar an hour: delivered below and filled, failed above and hollow, so that colour is not alone. */
function Bars({ hours }: { readonly hours: readonly Hour[] }) {
  const most = Math.max(1, ...hours.map(({ delivered, failed }) => delivered + failed))
  const heightOf = (count: number) => (count / most) * chartHeight
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${hours.length * barWidth} ${chartHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {hours.map(({ from, delivered, failed }, at) => {
        const [below, above] = [heightOf(delivered), heightOf(failed)]
        return (
          <g key={from}>
            <rect
              class="bar-delivered"
              x={at * barWidth + 1}
              width={barWidth - 2}
              y={chartHeight - below}
              height={below}
            />
            <rect
              class="bar-failed"
              x={at * barWidth + 1}
              width={barWidth - 2}
              y={chartHeight - below - above}
              height={above}
            />
          </g>
        )
      })}
      <line
        class="bar-ground"
        x1="0"
        x2={hours.length * barWidth}
        y1={chartHeight}
        y2={chartHeight}
      />
    </svg>
  )
}

function sum(hours: readonly Hour[], what: 'delivered' | 'failed'): number {
  return hours.reduce((total, hour) => total + hour[what], 0)
}

function took(ms: number | null): string {
  return ms === null ? '–' : `${ms} ms`
}
