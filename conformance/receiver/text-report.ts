import { exchangeLines } from './exchange-lines.ts'
import type { PropertyReport, Report } from './report.ts'
import { indented, wrap } from './wrap.ts'

export interface TextOptions {
  /** The command that ran, to which `--only`, `--seed` and `--path` are added for a replay; none unless given. */
  readonly command?: string
  readonly width?: number
}

type Failed = PropertyReport & { readonly verdict: 'failed' }

const readme = 'https://www.npmjs.com/package/@countersign/conformance'

/** The report for people: the verdicts by group, then each failure with its transcript and what to do. */
export function textReport(report: Report, options: TextOptions = {}): string {
  const { properties, unusable } = report
  // Its verdicts would say the same of every property.
  if (unusable !== null) return `Nothing was judged of ${report.url}: ${unusable}\n`
  const failures = properties.filter((one): one is Failed => one.verdict === 'failed')
  const counted = failures.filter(({ exception }) => exception === null)
  return [
    `Receiver at ${report.url}, seed ${report.seed}`,
    '',
    ...byGroup(properties),
    ...counted.flatMap((one, at) => failureText(one, at === 0, options)),
    ...gone(report, options),
    ...exceptions(failures, options),
    ...unjudged(properties, options.width),
    ...leftOut(properties),
    ...report.notes.flatMap((note) => ['NOTE', ...indented(wrap(note, options.width), '  '), '']),
    summary(report),
    '',
  ].join('\n')
}

function byGroup(properties: readonly PropertyReport[]): readonly string[] {
  const groups = new Map<string, PropertyReport[]>()
  for (const one of properties) {
    const [group = ''] = one.name.split('.')
    groups.set(group, [...(groups.get(group) ?? []), one])
  }
  const lines = [...groups].flatMap(([group, all]) => [
    `  ${group.padEnd(20)} ${groupSummary(all)}`,
    ...all.map((one) => {
      const name = one.name.slice(group.length + 1)
      const level = one.level === 'hardening' ? ' (hardening)' : ''
      return `    ${mark(one)} ${name.padEnd(18)} ${one.promise}${level}`
    }),
  ])
  return [...lines, '']
}

function groupSummary(group: readonly PropertyReport[]): string {
  const marks = group.map(mark)
  const count = (wanted: string) => marks.filter((one) => one === wanted).length
  const parts = [
    `${count('✓')} of ${group.length} passed`,
    count('✗') > 0 ? `${count('✗')} failed` : '',
    count('!') > 0 ? `${count('!')} excepted` : '',
    count('–') > 0 ? `${count('–')} not judged` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}

export function mark(report: PropertyReport): string {
  if (report.verdict === 'passed') return '✓'
  if (report.verdict === 'not judged') return '–'
  return report.exception === null ? '✗' : '!'
}

function gone({ goneIn }: Report, { width }: TextOptions): readonly string[] {
  if (goneIn === null) return []
  const text = `The receiver died in ${goneIn}, or in a property beside it (--lanes 1 tells which): it answers nothing since, and what came after was not tried. Its own log should say why.`
  return ['DIED', ...indented(wrap(text, width), '  '), '']
}

function failureText(
  report: Failed,
  isFirst: boolean,
  { command, width }: TextOptions,
): readonly string[] {
  // Without a transcript it found the receiver gone.
  if (report.failure.transcript.length === 0) return []
  const { name, level, promise, advice, failure } = report
  const { found, transcript, deliveries, shrinks } = failure
  const size = `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}`
  const [group = ''] = name.split('.')
  return [
    `FAILED  ${name}${level === 'hardening' ? '  (hardening)' : ''}`,
    ...indented(wrap(`Promise: ${promise}.`, width), '  '),
    ...indented(wrap(`Found: ${found}.`, width), '  '),
    `  Transcript (${size}${shrinks > 0 ? `, the shortest after ${shrinks} shrinks` : ''}):`,
    ...transcript.map((line) => `    ${line}`),
    ...exchangeLines(failure),
    ...indented(wrap(`What to do: ${advice}`, width), '  '),
    ...(isFirst ? [`  Shown how: ${readme}, "How a receiver keeps these promises", ${group}`] : []),
    ...again(report, command, width),
    '',
  ]
}

function again({ name, failure }: Failed, command: string | undefined, width?: number) {
  const { seed, path, cameAgain } = failure
  const alone = `${command} --only ${name} --seed ${seed} --path ${path}`
  if (cameAgain === false) {
    const text = `It did not come again when it was played alone: it takes the traffic of other properties, or luck.${command === undefined ? '' : ` With that traffic: ${command} --seed ${seed}`}`
    return indented(wrap(text, width), '  ')
  }
  const inconclusive =
    cameAgain === 'no time'
      ? indented(
          wrap(
            'Inconclusive: the time was over before it was played again alone, so that it may take the traffic of other properties.',
            width,
          ),
          '  ',
        )
      : []
  return [...inconclusive, ...(path === null || command === undefined ? [] : [`  Again: ${alone}`])]
}

function exceptions(failures: readonly Failed[], { width }: TextOptions): readonly string[] {
  const lines = failures.flatMap(({ name, exception, failure }) =>
    exception === null
      ? []
      : indented(wrap(`! ${name}: ${exception} (found: ${failure.found})`, width), '  '),
  )
  return lines.length === 0 ? [] : ['EXCEPTED, because whoever ran this says so', ...lines, '']
}

function unjudged(properties: readonly PropertyReport[], width?: number): readonly string[] {
  const byNeed = new Map<string, string[]>()
  for (const one of properties) {
    if (one.verdict !== 'not judged') continue
    for (const need of one.needs) byNeed.set(need, [...(byNeed.get(need) ?? []), one.name])
  }
  const lines = [...byNeed].flatMap(([need, names]) => [
    `  – needs ${need}:`,
    ...indented(wrap(names.join(', '), width), '      '),
  ])
  return lines.length === 0 ? [] : ['NOT JUDGED, which is no pass', ...lines, '']
}

function leftOut(properties: readonly PropertyReport[]): readonly string[] {
  const lines = properties.flatMap(({ name, leftOut: left, histories, verdict }) =>
    left > 0 && (verdict !== 'not judged' || histories > 0)
      ? [`  ${name.padEnd(33)} ${left} of ${left + histories} histories`]
      : [],
  )
  return lines.length === 0
    ? []
    : ['LEFT OUT for want of time; --budget SECONDS gives more', ...lines, '']
}

function summary(report: Report): string {
  const { properties, passed, failed, failedHardening, excepted, notJudged } = report
  const { histories, deliveries, seconds, burst } = report
  const hardening = failedHardening > 0 ? ` (${failedHardening} of them hardening)` : ''
  const parts = [
    `${properties.length} properties: ${passed} passed, ${failed} failed${hardening}, ${excepted > 0 ? `${excepted} excepted, ` : ''}${notJudged} not judged`,
    `${histories} histories, ${deliveries} deliveries in ${seconds.toFixed(1)} s`,
  ]
  if (burst)
    parts.push(
      `under a burst acknowledged in p50 ${burst.p50} ms, p99 ${burst.p99} ms, at most ${burst.most} ms`,
    )
  return [...parts, ...outOfTime(report)].join('\n')
}

function outOfTime({ outOfTime: count, budgetSeconds }: Report): readonly string[] {
  if (budgetSeconds === null) return []
  const { given, needed } = budgetSeconds
  const these = count === 1 ? '1 required property was' : `${count} required properties were`
  return [
    `${these} not judged for want of time, which is no pass: this machine needs --budget ${needed} for ${count === 1 ? 'it' : 'them'} (it had ${given})`,
  ]
}
