import type { PropertyReport, Report } from './report.ts'

export interface TextOptions {
  /** The command that ran, to which `--only`, `--seed` and `--path` are added for a replay; none unless given. */
  readonly command?: string
  readonly width?: number
}

/** The report for people: the verdicts by group, then each failure with its transcript and what to do. */
export function textReport(report: Report, options: TextOptions = {}): string {
  const { properties, unusable } = report
  return [
    `Receiver at ${report.url}, seed ${report.seed}`,
    '',
    ...byGroup(properties),
    ...(unusable === null
      ? [...properties.flatMap((one) => failureText(one, options)), ...gone(report, options)]
      : ['FAILED  every property', ...indented(wrap(unusable, options.width), '  '), '']),
    ...unjudged(properties),
    summary(report),
    '',
  ].join('\n')
}

function byGroup(properties: readonly PropertyReport[]): readonly string[] {
  const lines: string[] = []
  let last = ''
  for (const one of properties) {
    const [group = '', name] = one.name.split('.')
    if (group !== last) lines.push(`  ${group}`)
    last = group
    lines.push(`    ${mark(one)} ${`${name}`.padEnd(18)} ${one.promise}`)
  }
  return [...lines, '']
}

export function mark({ verdict }: PropertyReport): string {
  if (verdict === 'passed') return '✓'
  return verdict === 'failed' ? '✗' : '–'
}

function gone({ goneIn }: Report, { width }: TextOptions): readonly string[] {
  if (goneIn === null) return []
  const text = `The receiver went down in ${goneIn}, or in a property beside it (--lanes 1 tells which), and what came after was not tried on anything. Its own log should say why.`
  return ['GONE', ...indented(wrap(text, width), '  '), '']
}

function failureText(report: PropertyReport, { command, width }: TextOptions): readonly string[] {
  // Without a transcript it found the receiver gone.
  if (report.verdict !== 'failed' || report.failure.transcript.length === 0) return []
  const { name, promise, advice, failure } = report
  const { found, transcript, deliveries, shrinks, seed, path } = failure
  const size = `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}`
  const again = path === null || command === undefined ? [] : [replayOf(command, name, seed, path)]
  return [
    `FAILED  ${name}`,
    ...indented(wrap(`Promise: ${promise}.`, width), '  '),
    ...indented(wrap(`Found: ${found}.`, width), '  '),
    `  Transcript (${size}${shrinks > 0 ? `, the shortest after ${shrinks} shrinks` : ''}):`,
    ...transcript.map((line) => `    ${line}`),
    ...indented(wrap(`What to do: ${advice}`, width), '  '),
    ...again.map((line) => `  Again: ${line}`),
    '',
  ]
}

function replayOf(command: string, name: string, seed: number, path: string): string {
  return `${command} --only ${name} --seed ${seed} --path ${path}`
}

function unjudged(properties: readonly PropertyReport[]): readonly string[] {
  const lines = properties.flatMap((one) =>
    one.verdict === 'not judged'
      ? [`  – ${one.name.padEnd(31)} needs ${one.needs.join(', and ')}`]
      : [],
  )
  return lines.length === 0 ? [] : ['NOT JUDGED, which is no pass', ...lines, '']
}

function summary(report: Report): string {
  const { properties, passed, failed, notJudged, histories, deliveries, seconds, burst } = report
  const parts = [
    `${properties.length} properties: ${passed} passed, ${failed} failed, ${notJudged} not judged`,
    `${histories} histories, ${deliveries} deliveries in ${seconds.toFixed(1)} s`,
  ]
  if (burst)
    parts.push(
      `under a burst acknowledged in p50 ${burst.p50} ms, p99 ${burst.p99} ms, at most ${burst.most} ms`,
    )
  return parts.join('\n')
}

function wrap(text: string, width = 100): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? word : ` ${word}`
  }
  return [...lines, line]
}

const indented = (lines: readonly string[], by: string): readonly string[] =>
  lines.map((line, at) => (at === 0 ? by : `${by}  `) + line)
