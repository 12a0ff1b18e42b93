import { cpus } from 'node:os'
import { readArguments } from '../program-end.ts'
import { type Bench, type Measure, missing, type Row, type Scale } from './figure.ts'
import { backlog } from './figures/backlog.ts'
import { decide, decideSealing, decideSigned } from './figures/decide.ts'
import { delivery } from './figures/delivery.ts'
import { documents } from './figures/documents.ts'
import { evidence } from './figures/evidence.ts'
import { exporting } from './figures/export.ts'
import { ingest } from './figures/ingest.ts'
import { kit } from './figures/kit.ts'
import { neighbour } from './figures/neighbour.ts'
import { peering } from './figures/peers.ts'
import { receive } from './figures/receive.ts'
import { start } from './figures/start.ts'
import { verifying } from './figures/verify.ts'
import { openStage } from './stage.ts'
import { isMet, tableOf } from './table.ts'

const measures: readonly Measure[] = [
  delivery,
  backlog,
  neighbour,
  peering,
  verifying,
  receive,
  decide,
  decideSealing,
  decideSigned,
  ingest,
  start,
  kit,
  documents,
  evidence,
  exporting,
]

const whole: Scale = { quick: false, rounds: 5, events: 4_000, backlog: 1_000_000, queued: 100_000 }
const quick: Scale = { quick: true, rounds: 3, events: 1_000, backlog: 20_000, queued: 5_000 }

const usage = `Usage: npm run bench [-- [--quick] [--json] [FIGURE…]]

Measures what PERFORMANCE.md lists, or the figures whose names begin with one of the words, such as delivery.

  --quick   fewer events and rounds: for a look, not for a comparison
  --json    the figures as one JSON object on standard output

Exit status: 0 measured, 2 wrong arguments, 70 a fault of the program itself.
`

const { flags, words } = readArguments('bench', usage, { flags: ['quick', 'json'], words: true })
const isQuick = flags.has('quick')
const say = (line: string) => process.stderr.write(`${line}\n`)
const stage = await openStage()
const bench: Bench = { stage, scale: isQuick ? quick : whole, say }

/** Those that match one of the words given, such as `delivery`; all without words. */
function isAsked({ figures }: Measure): boolean {
  if (words.length === 0) return true
  return figures.some((figure) => words.some((word) => figure.startsWith(word)))
}

async function measured(measure: Measure): Promise<readonly Row[]> {
  const begun = performance.now()
  say(`measuring ${measure.figures.join(', ')}`)
  try {
    return await measure.run(bench)
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error))
    const reason = `failed: ${error instanceof Error ? error.message : String(error)}`
    return measure.figures.map((figure) => missing({ figure, target: null, how: '' }, reason))
  } finally {
    say(`  took ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
  }
}

const rows: Row[] = []
for (const measure of measures) if (isAsked(measure)) rows.push(...(await measured(measure)))
await stage.close()

const machine = { node: process.version, cpus: cpus().length, model: cpus()[0]?.model ?? '' }
if (flags.has('json')) {
  const figures = Object.fromEntries(
    rows.map(({ figure, ...row }) => [figure, { ...row, met: isMet({ figure, ...row }) }]),
  )
  process.stdout.write(`${JSON.stringify({ machine, quick: isQuick, figures })}\n`)
} else {
  process.stdout.write(`${tableOf(rows)}\n\n`)
  for (const { figure, how, detail } of rows)
    process.stdout.write(`${figure}: ${how}${detail ? ` ${JSON.stringify(detail)}` : ''}\n`)
}
process.exit(0)
