import { adapted, createSchedule, hasLongQueue, neededSeconds, type Pace } from './budget.ts'
import { createClient } from './client.ts'
import {
  deliverPlain,
  effectMsOf,
  firstDelivery,
  learnActs,
  severalMsOf,
} from './first-delivery.ts'
import { httpUrl } from './http-url.ts'
import { type Judging, judge, playAgain } from './judge.ts'
import { loadKeys } from './keys.ts'
import { type EndpointKind, receivers } from './kind.ts'
import { isHeldUp, startLagMeter } from './lag.ts'
import { inLanes } from './lanes.ts'
import type { NoteOdd, Probe } from './probe.ts'
import { guard, guardProbe } from './probe-guard.ts'
import type { Property } from './property.ts'
import {
  countsOf,
  isOutOfTime,
  joined,
  notesOf,
  type PropertyReport,
  percentiles,
  type Report,
} from './report.ts'
import { shareReads } from './shared-reads.ts'
import {
  choose,
  lackingOf,
  positive,
  type ReceiverSuiteOptions,
  readExceptions,
  readSeed,
} from './suite-options.ts'
import { judgeOddEffects, sweep } from './sweep.ts'
import { createTally, type Need, type Target } from './target.ts'

const quickRun = { budgetMs: 9_000, runs: 3 } as const
const wholeRun = { budgetMs: 60_000, runs: 20 } as const
/** Of the budget by default, what a busy machine has for required properties that there was no time for. */
const extension = 3

/** A run of a property past the budget. */
interface Extended {
  readonly until: number
  readonly judging: Pick<Judging, 'target'>
}

/**
 * Judges a receiver by generated delivery histories. Rejects with a ProbeError for a broken probe, a UsageError
 * or SigningKeyError for options that can't work; whatever the receiver does ends in the report.
 *
 * @example
 * ```ts
 * import { runReceiverSuite, textReport } from '@countersign/conformance/receiver'
 *
 * const report = await runReceiverSuite({ url: 'http://127.0.0.1:8080/hooks', keys: [secret] })
 * console.log(textReport(report))
 * ```
 */
export function runReceiverSuite(options: ReceiverSuiteOptions): Promise<Report> {
  return runSuite(options, receivers)
}

/** Judges an endpoint of this kind; rejects as `runReceiverSuite` does. */
export async function runSuite(options: ReceiverSuiteOptions, kind: EndpointKind): Promise<Report> {
  const { quick = false } = options
  const usual = quick ? quickRun : wholeRun
  if (options.lanes !== undefined) positive('lanes', options.lanes)
  const url = httpUrl('url', options.url)
  const keys = loadKeys(options)
  const chosen = choose(options, kind.properties)
  const except = readExceptions(options, kind.properties)
  const deadlineMs = positive('deadlineMs', options.deadlineMs ?? 10_000)
  const budgetMs = positive('budgetMs', options.budgetMs ?? usual.budgetMs)
  const isBounded = options.budgetMs !== undefined || quick
  const mostBudgetMs = options.mostBudgetMs ?? budgetMs * (isBounded ? 1 : extension)
  const seed = readSeed(options.seed)
  const runs = positive('runs', options.runs ?? usual.runs)
  if (options.mostCases !== undefined) positive('mostCases', options.mostCases)
  const startedAt = performance.now()
  const until = startedAt + (options.waitMs ?? 0) + budgetMs
  const lag = startLagMeter()
  const client = createClient(url, { timeoutMs: deadlineMs + 1_000, lag })
  const tally = createTally()
  const bare: Target = {
    client,
    keys,
    messageOf: kind.messageOf,
    types: kind.types,
    probe: null,
    read: () => Promise.reject(new Error('there is no probe')),
    has: new Set(),
    deadlineMs,
    settleMs: positive('settleMs', options.settleMs ?? 5_000),
    resumeMs: positive('resumeMs', options.resumeMs ?? 35_000),
    until,
    lag,
    tally,
    async alive() {
      const { exchange } = await deliverPlain(bare)
      return exchange.status !== null || isHeldUp(exchange, deadlineMs)
    },
  }
  try {
    const first = await firstDelivery(bare, options.waitMs ?? 0)
    const measured = first.unusable === null ? await withProbe(bare, options.probe, first.id) : bare
    if (first.unusable === null)
      options.onStart?.({ of: chosen.length, lacking: lackingOf(chosen, measured.has) })
    const pace: Pace = {
      effectMs: first.unusable === null ? await effectMsOf(measured) : 0,
      answerMs: Math.min(...tally.plainMs),
    }
    const severalMs = first.unusable === null ? await severalMsOf(measured) : 0
    const fitting = adapted({ ...pace, severalMs })
    const lanes = options.lanes ?? fitting.lanes
    const target = { ...measured, settleMs: options.settleMs ?? fitting.settleMs }
    const judging: Judging = {
      target,
      unusable: first.unusable,
      replay: {
        seed,
        path: options.path,
        runs,
        mostCases: options.mostCases,
        quick,
        shrinkMs: options.shrinkMs ?? Math.ceil(budgetMs / 10),
        until,
      },
      except,
    }
    const isActing = chosen.some(({ needs }) => needs.includes('effects'))
    if (first.unusable === null && kind.hasTypes && isActing) await learnActs(target, pace.effectMs)
    const reports = new Map<Property, PropertyReport>()
    const waiting = new Set(chosen)
    const schedule = createSchedule(kind.properties, { budgetMs, lanes })
    const run = async (property: Property, extended?: Extended): Promise<void> => {
      waiting.delete(property)
      const now = performance.now()
      const isEnded = options.signal?.aborted === true
      const timely = () => schedule.endOf(property, { now, until, toCome: [...waiting], pace })
      const end = isEnded ? now : (extended?.until ?? timely())
      const before = reports.get(property)
      const replay = {
        ...judging.replay,
        until: end,
        skip: before?.histories,
        onHistory: (history: unknown) => options.onHistory?.(property.name, history),
      }
      const report = await judge(property, { ...judging, ...extended?.judging, replay })
      reports.set(property, before === undefined ? report : joined(before, report))
      if (before === undefined && first.unusable === null)
        options.onProgress?.({ done: reports.size, of: chosen.length, property: report })
    }
    const playFailedAgain = async (some: readonly Property[]) => {
      for (const property of some) {
        const report = reports.get(property)
        if (report !== undefined && tally.goneIn === null && options.path === undefined)
          reports.set(property, await playAgain(property, report, judging))
      }
    }
    const alone = chosen.filter((property) => property.alone)
    const early = alone.filter((property) => property.early)
    const isQueuing = hasLongQueue(pace)
    if (!isQueuing) for (const property of early) await run(property)
    const shared = chosen.filter((property) => !property.alone)
    const acting = shared.filter(({ needs }) => needs.includes('effects'))
    // Where effects queue, what waits for them comes before what leaves a queue behind.
    const together = isQueuing ? [...new Set([...acting, ...shared])] : shared
    await inLanes(together, lanes, run)
    await playFailedAgain(together)
    // A lease that outlives a kill may take half of the budget to end: those that wait for one come first where the
    // others take long, and last where one wait would be all that is left for those.
    const last = alone.filter((property) => !reports.has(property))
    const kills = last.filter(({ needs }) => needs.includes('restart') && needs.includes('effects'))
    const others = last.filter((property) => !kills.includes(property))
    for (const property of isQueuing ? [...kills, ...others] : [...others, ...kills])
      await run(property)
    // What was cut short for what was still to come gets what time is left.
    const cut = [...reports].flatMap(([one, { verdict, leftOut }]) =>
      verdict !== 'failed' && leftOut > 0 ? [one] : [],
    )
    const [cutShared, cutAlone] = [false, true].map((is) => cut.filter(({ alone }) => alone === is))
    for (const one of cut) waiting.add(one)
    await inLanes(cutShared ?? [], lanes, run)
    await playFailedAgain(cutShared ?? [])
    for (const property of cutAlone ?? []) await run(property)
    const starved = () =>
      [...reports].flatMap(([property, report]) => (isOutOfTime(report) ? [property] : []))
    if (mostBudgetMs > budgetMs && !options.signal?.aborted && starved().length > 0) {
      const later = until + mostBudgetMs - budgetMs
      const extended = { until: later, judging: { target: { ...target, until: later } } }
      const left = starved()
      const beside = left.filter((property) => !property.alone)
      await inLanes(beside, lanes, (property) => run(property, extended))
      await playFailedAgain(beside)
      for (const property of left) if (property.alone) await run(property, extended)
    }
    const swept = chosen.find(({ name }) => name === 'reading.no-effect')
    const found = swept && reports.get(swept)
    if (swept && found && first.unusable === null && tally.goneIn === null)
      reports.set(swept, await sweep(target, swept, found, seed))
    const malformed = chosen.find(({ name }) => name === 'reading.malformed-signed')
    const judged = malformed && reports.get(malformed)
    if (malformed && judged && tally.goneIn === null)
      reports.set(malformed, await judgeOddEffects(target, malformed, judged, seed))

    const properties = chosen.flatMap((property) => reports.get(property) ?? [])
    return {
      url: url.href,
      seed,
      unusable: first.unusable,
      goneIn: tally.goneIn,
      properties,
      ...countsOf(properties),
      budgetSeconds: neededSeconds(reports, { ...schedule, budgetMs, mostBudgetMs }),
      deliveries: tally.deliveries,
      seconds: Math.round(performance.now() - startedAt) / 1000,
      burst: percentiles(tally.burstMs),
      notes: notesOf(target),
    }
  } finally {
    lag.stop()
    client.close()
  }
}

async function withProbe(
  target: Target,
  given: ReceiverSuiteOptions['probe'],
  id: string,
): Promise<Target> {
  const { tally } = target
  const has = new Set<Need>()
  if (target.keys.standard.length > 1) has.add('keys')
  if (target.keys.known.some(({ key }) => key.scheme === 'v1')) has.add('secret')
  if (target.keys.legacy) has.add('legacy')
  if (given === undefined) return { ...target, has }
  const probe = typeof given === 'function' ? await given() : given
  const noteOdd: NoteOdd = (entry, list) => {
    const text = JSON.stringify(entry).slice(0, 100)
    tally.odd.add(text)
    if (list === 'effects') tally.oddEffects.add(text)
  }
  const readAll = shareReads(probe, () => (tally.sentMalformed ? noteOdd : undefined))
  const read: Probe['read'] = async (asked) => {
    const seen = await readAll(asked)
    for (const { id, count } of seen.effects ?? []) {
      tally.sawEffect ||= count > 0
      const type = tally.types.get(id)
      if (count > 0 && type !== undefined) tally.acted.add(type)
    }
    return seen
  }
  const { effects, heads } = await read({ ids: [id], reviewCaseIds: [] })
  has.add('stored')
  if (effects) has.add('effects')
  if (heads) has.add('heads')
  if (probe.restart) has.add('restart')
  if (probe.setClock) has.add('clock')
  if (probe.setDelay) has.add('delay')
  if (probe.setStoreFailure) has.add('storeFailure')
  return { ...target, probe: guardProbe(probe, target), read: guard(read, target), has }
}
