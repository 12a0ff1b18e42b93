import type { PrintedCase, PrintedEvidence } from '@countersign/core/evidence'
import type { CanvasElement, Content } from 'pdfmake/interfaces.js'
import { colors, countOf, durationOf, pageWidth, timeOf, wordsOf } from './parts.ts'

const labelWidth = 110
const plotWidth = pageWidth - labelWidth - 12
const laneHeight = 12

const laneColors: Readonly<Record<string, string>> = {
  agent: '#5b6abf',
  llm: '#1f6f8b',
  tool: '#3c7a3f',
  retrieval: '#7a6a2f',
  guardrail: '#8c4a8c',
  human: '#b3541e',
  other: '#68707c',
}

/** The session's steps on a time axis, a lane for each type; errors are red. */
export function timelinePlot({ session, steps }: PrintedEvidence): Content {
  const times = steps.map((step) => [Date.parse(step.startedAt), Date.parse(step.endedAt)] as const)
  const from = times.reduce(
    (least, [start]) => Math.min(least, start),
    Date.parse(session.startedAt),
  )
  const until = times.reduce((most, [, end]) => Math.max(most, end), from + 1)
  const at = (ms: number) => ((ms - from) / (until - from)) * plotWidth
  const lanes = Object.keys(laneColors).filter((type) => steps.some((step) => step.type === type))
  const rows = lanes.map((type): Content[] => {
    const drawn = new Set<string>()
    const marks = steps.flatMap((step, index): CanvasElement[] => {
      if (step.type !== type) return []
      const [start = from, end = from] = times[index] ?? []
      const color = step.status === 'error' ? colors.bad : (laneColors[type] ?? colors.soft)
      // What no eye tells from a mark that is there is not drawn again.
      const mark = `${Math.round(at(start) * 4)} ${Math.round(at(end) * 4)} ${color}`
      if (drawn.has(mark)) return []
      drawn.add(mark)
      return [
        {
          type: 'rect',
          x: at(start),
          y: 1,
          w: Math.max(1.2, at(end) - at(start)),
          h: laneHeight - 2,
          color,
        },
      ]
    })
    const count = steps.filter((step) => step.type === type).length
    const track: CanvasElement = {
      type: 'rect',
      x: 0,
      y: 0,
      w: plotWidth,
      h: laneHeight,
      color: colors.shade,
    }
    return [{ text: `${type} (${count})`, style: 'label' }, { canvas: [track, ...marks] }]
  })
  return {
    stack: [
      {
        table: {
          widths: [labelWidth, plotWidth],
          body: [...rows, ['', axis(until - from)]],
          dontBreakRows: true,
        },
        layout: 'plot',
      },
      {
        text: `From ${timeOf(new Date(from).toISOString())} over ${durationOf(until - from)}. Red: ended with an error.`,
        style: 'caption',
      },
    ],
    unbreakable: true,
  }
}

function axis(span: number): Content {
  const parts = 5
  const ticks = Array.from({ length: parts + 1 }, (_, tick): CanvasElement => {
    const x = (tick / parts) * plotWidth
    return { type: 'line', x1: x, y1: 0, x2: x, y2: 4, lineWidth: 0.5, lineColor: colors.soft }
  })
  const line: CanvasElement = {
    type: 'line',
    x1: 0,
    y1: 0,
    x2: plotWidth,
    y2: 0,
    lineWidth: 0.5,
    lineColor: colors.soft,
  }
  return {
    stack: [
      { canvas: [line, ...ticks] },
      {
        columns: Array.from({ length: parts }, (_, tick) => ({
          text: `+${durationOf(Math.round((tick / parts) * span))}`,
          width: plotWidth / parts,
          style: 'tick',
        })),
      },
    ],
  }
}

const outcomes = [
  'approved',
  'rejected',
  'response_submitted',
  'cancelled',
  'expired',
  'open',
] as const
const outcomeColors: Readonly<Record<(typeof outcomes)[number], string>> = {
  approved: colors.good,
  rejected: colors.bad,
  response_submitted: '#1f6f8b',
  cancelled: '#8a93a0',
  expired: '#5b6675',
  open: '#d9a441',
}

function outcomeOf({ state, decision }: PrintedCase): (typeof outcomes)[number] {
  if (state === 'open') return 'open'
  return outcomes.find((outcome) => outcome === (state === 'decided' ? decision : state)) ?? 'open'
}

/** How the cases of each tier ended, as bars. */
export function decisionsPlot(cases: readonly PrintedCase[]): Content {
  const tiers = ['standard', 'high', 'urgent'].map((tier) =>
    cases.filter(({ reviewTier }) => reviewTier === tier),
  )
  const most = Math.max(...tiers.map(({ length }) => length), 1)
  const unit = (plotWidth - 40) / most
  const rows = tiers.map((inTier, index): Content[] => {
    let x = 0
    const bars = outcomes.flatMap((outcome): CanvasElement[] => {
      const count = inTier.filter((each) => outcomeOf(each) === outcome).length
      if (count === 0) return []
      const bar: CanvasElement = {
        type: 'rect',
        x,
        y: 0,
        w: count * unit - 0.5,
        h: laneHeight,
        color: outcomeColors[outcome],
      }
      x += count * unit
      return [bar]
    })
    const empty: CanvasElement = {
      type: 'rect',
      x: 0,
      y: 0,
      w: 0.5,
      h: laneHeight,
      color: colors.line,
    }
    return [
      { text: `${['standard', 'high', 'urgent'][index] ?? ''} (${inTier.length})`, style: 'label' },
      { canvas: bars.length > 0 ? bars : [empty] },
    ]
  })
  const present = outcomes.filter((outcome) => cases.some((each) => outcomeOf(each) === outcome))
  return {
    stack: [
      {
        table: { widths: [labelWidth, plotWidth], body: rows, dontBreakRows: true },
        layout: 'plot',
      },
      {
        columns: present.map((outcome) => ({
          columns: [
            {
              canvas: [{ type: 'rect', x: 0, y: 2, w: 7, h: 7, color: outcomeColors[outcome] }],
              width: 11,
            },
            {
              text: `${wordsOf(outcome)} (${cases.filter((each) => outcomeOf(each) === outcome).length})`,
              style: 'legend',
              width: 'auto',
            },
          ],
          width: 'auto',
        })),
        columnGap: 12,
        margin: [labelWidth + 8, 4, 0, 0],
      },
      { text: `${countOf(cases.length, 'review case')}, by tier and outcome.`, style: 'caption' },
    ],
    unbreakable: true,
  }
}
