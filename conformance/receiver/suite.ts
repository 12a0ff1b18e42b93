import { randomInt } from 'node:crypto'
import { ConformanceError } from '../assert.ts'
import { createClient, type Exchange } from './client.ts'
import { httpUrl } from './http-url.ts'
import { type KeyTexts, loadKeys } from './keys.ts'
import { reviewEvent } from './messages.ts'
import type { Probe, Sighting } from './probe.ts'
import { guard, guardProbe } from './probe-guard.ts'
import { properties } from './properties/index.ts'
import type { Checked, Property, Replay } from './property.ts'
import { type PropertyReport, percentiles, type Report } from './report.ts'
import { createSession, isSuccess, outcome } from './session.ts'
import { shareReads } from './shared-reads.ts'
import { type Need, needs, type Tally, type Target, traceOf } from './target.ts'
import { UsageError } from './usage-error.ts'

export interface ReceiverSuiteOptions extends KeyTexts {
  /** Where the receiver takes deliveries, http or https. */
  readonly url: string
  /**
   * Shows what the receiver stored and did; without one, only statuses are judged. A function is called once a plain
   * delivery was accepted, for a probe that comes up with its receiver.
   */
  readonly probe?: Probe | (() => Promise<Probe>) | undefined
  /** Of all that is generated; a random one unless given. */
  readonly seed?: number | undefined
  /** Of a counterexample of the one property in `only`. */
  readonly path?: string | undefined
  /** Names of properties (`signature.altered`) or groups (`signature`); all unless given. */
  readonly only?: readonly string[] | undefined
  /** Histories of a property of ordinary weight, 30 unless given. */
  readonly runs?: number | undefined
  /** Ms in which an answer counts, 10,000 unless given, which is what the service waits. */
  readonly deadlineMs?: number | undefined
  /** Ms that an effect may take to show at the probe, 5,000 unless given. */
  readonly settleMs?: number | undefined
  /** Properties that run at once, 4 unless given. */
  readonly lanes?: number | undefined
  /** Ms for which a counterexample is shrunk, 20,000 unless given. */
  readonly shrinkMs?: number | undefined
  /** Ms to wait until a plain delivery is accepted for the first time, 0 unless given. */
  readonly waitMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export interface Progress {
  readonly done: number
  readonly of: number
  readonly property: PropertyReport
}

/**
 * Judges a receiver by generated delivery histories. Rejects with a ProbeError for a broken probe, a UsageError
 * or SigningKeyError for options that can't work; whatever the receiver does ends in the report.
 */
export async function runReceiverSuite(options: ReceiverSuiteOptions): Promise<Report> {
  const { lanes = 4, onProgress } = options
  const url = httpUrl('url', options.url)
  const keys = loadKeys(options)
  const chosen = choose(options)
  const deadlineMs = positive('deadlineMs', options.deadlineMs ?? 10_000)
  const replay = {
    seed: readSeed(options.seed),
    path: options.path,
    runs: positive('runs', options.runs ?? 30),
    shrinkMs: options.shrinkMs ?? 20_000,
  }
  const startedAt = performance.now()
  const client = createClient(url, deadlineMs + 1_000)
  const tally: Tally = {
    deliveries: 0,
    burstMs: [],
    slowestSettle: 0,
    goneIn: null,
    banned: new Map(),
  }
  const bare: Target = {
    client,
    keys,
    probe: null,
    read: () => Promise.reject(new Error('there is no probe')),
    has: new Set(),
    deadlineMs,
    settleMs: positive('settleMs', options.settleMs ?? 5_000),
    tally,
    alive: async () => (await deliverPlain(bare)).exchange.status !== null,
  }
  try {
    const first = await firstDelivery(bare, options.waitMs ?? 0)
    const able = first.unusable === null ? await withProbe(bare, options.probe, first.id) : bare
    const reports = new Map<Property, PropertyReport>()
    const judge = async (property: Property): Promise<void> => {
      const report = await judged(property, able, first.unusable, replay)
      reports.set(property, report)
      onProgress?.({ done: reports.size, of: chosen.length, property: report })
    }
    await inLanes(
      chosen.filter(({ alone }) => !alone),
      positive('lanes', lanes),
      judge,
    )
    for (const property of chosen.filter(({ alone }) => alone)) await judge(property)
    if (first.unusable === null && tally.goneIn === null)
      await sweep(able, chosen, reports, replay.seed)

    const all = chosen.flatMap((property) => reports.get(property) ?? [])
    const count = (verdict: PropertyReport['verdict']) =>
      all.filter((report) => report.verdict === verdict).length
    return {
      url: url.href,
      seed: replay.seed,
      unusable: first.unusable,
      goneIn: tally.goneIn,
      properties: all,
      passed: count('passed'),
      failed: count('failed'),
      notJudged: count('not judged'),
      histories: all.reduce((sum, { histories }) => sum + histories, 0),
      deliveries: tally.deliveries,
      seconds: seconds(startedAt),
      burst: percentiles(tally.burstMs),
    }
  } finally {
    client.close()
  }
}

/** A plain, properly signed event: a receiver that does not take it would pass every test of what must be refused. */
async function firstDelivery(target: Target, waitMs: number): Promise<First> {
  const startedAt = performance.now()
  for (;;) {
    const first = await tryOnce(target)
    if (first.unusable === null || performance.now() - startedAt >= waitMs) return first
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

interface First {
  readonly id: string
  readonly unusable: string | null
}

async function tryOnce(target: Target): Promise<First> {
  const { id, exchange } = await deliverPlain(target)
  const { status, ms } = exchange
  if (status === null)
    return { id, unusable: `no answer to a plain delivery: ${outcome(exchange)}` }
  if (!isSuccess(status))
    return {
      id,
      unusable: `a plain, properly signed event got ${outcome(exchange)}: does the receiver have the key, the right path, and the right time?`,
    }
  if (ms > target.deadlineMs) return { id, unusable: `a plain delivery took ${Math.round(ms)} ms` }
  return { id, unusable: null }
}

async function deliverPlain(target: Target): Promise<{ id: string; exchange: Exchange }> {
  const message = createSession(target, () => target.settleMs).sign(reviewEvent())
  target.tally.deliveries += 1
  return { id: message.id, exchange: await target.client.send(message) }
}

async function withProbe(
  target: Target,
  given: ReceiverSuiteOptions['probe'],
  id: string,
): Promise<Target> {
  const has = new Set<Need>()
  if (target.keys.standard.length > 1) has.add('keys')
  if (target.keys.service) has.add('service')
  if (given === undefined) return { ...target, has }
  const probe = typeof given === 'function' ? await given() : given
  const read = shareReads(probe)
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

async function judged(
  property: Property,
  target: Target,
  unusable: string | null,
  replay: Replay,
): Promise<PropertyReport> {
  const startedAt = performance.now()
  const { name, promise, advice } = property
  const about = (histories: number) => ({ name, promise, histories, seconds: seconds(startedAt) })
  const { goneIn } = target.tally
  const found = unusable ?? (goneIn && `the receiver went down in ${goneIn} and answers no more`)
  if (found !== null) {
    const { seed } = replay
    const failure = { found, transcript: [], deliveries: 0, shrinks: 0, seed, path: null }
    return { ...about(0), verdict: 'failed', advice, failure }
  }
  const lacking = property.needs.filter((need) => !target.has.has(need))
  if (lacking.length > 0)
    return { ...about(0), verdict: 'not judged', needs: lacking.map((need) => needs[need]) }
  const { histories, failure } = await checkAt(property, target, replay)
  if (failure === null) return { ...about(histories), verdict: 'passed' }
  return { ...about(histories), verdict: 'failed', advice, failure }
}

/** A path that leads to no history, because it is another's, must not look like a pass. */
async function checkAt(property: Property, target: Target, replay: Replay): Promise<Checked> {
  const checked = await property.check(target, replay).catch((error: Error) => {
    if (!error.message.startsWith('Unable to replay')) throw error
    return null
  })
  if (checked !== null && checked.histories > 0) return checked
  const { path, seed } = replay
  throw new UsageError(`${property.name} has no history at path ${path} of seed ${seed}`)
}

/** Effects that came late: every message that had to be refused is looked up once more at the end. */
async function sweep(
  target: Target,
  chosen: readonly Property[],
  reports: Map<Property, PropertyReport>,
  seed: number,
): Promise<void> {
  const { banned } = target.tally
  const property = chosen.find(({ name }) => name === 'reading.no-effect')
  const report = property && reports.get(property)
  if (!property || report?.verdict !== 'passed' || banned.size === 0) return
  const fault = (found: string, transcript: readonly string[]) => {
    const deliveries = transcript.filter((line) => /^\d/.test(line)).length
    const failure = { found, transcript, deliveries, shrinks: 0, seed, path: null }
    reports.set(property, { ...report, verdict: 'failed', advice: property.advice, failure })
  }
  let seen: Sighting
  try {
    seen = await target.read({ ids: [...banned.keys()], reviewCaseIds: [] })
  } catch (error) {
    if (!(error instanceof ConformanceError)) throw error
    return fault(error.message, ['the last read, after every property'])
  }
  for (const [id, transcript] of banned) {
    const trace = traceOf(id, seen)
    if (trace !== null)
      return fault(`${id} had to be refused and, read at the end, ${trace}`, transcript())
  }
}

async function inLanes(
  work: readonly Property[],
  lanes: number,
  run: (property: Property) => Promise<void>,
): Promise<void> {
  const queue = [...work]
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next)
  }
  const results = await Promise.allSettled(Array.from({ length: lanes }, lane))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function choose({ only, path }: ReceiverSuiteOptions): readonly Property[] {
  const unknown = only?.find((text) => !properties.some((property) => isOf(property, text)))
  if (unknown !== undefined)
    throw new UsageError(
      `expected the name of a property or a group, got ${unknown}: one of ${properties.map(({ name }) => name).join(', ')}`,
    )
  const chosen = only
    ? properties.filter((one) => only.some((text) => isOf(one, text)))
    : properties
  if (path !== undefined && !/^\d+(:\d+)*$/.test(path))
    throw new UsageError(`expected a path such as 3:0:1, got ${path}`)
  if (path !== undefined && chosen.length !== 1)
    throw new UsageError(
      `expected one property for a path, got ${chosen.length}: a path belongs to the property that printed it`,
    )
  return chosen
}

function isOf({ name }: Property, text: string): boolean {
  return name === text || name.startsWith(`${text}.`)
}

function readSeed(seed: number | undefined): number {
  if (seed === undefined) return randomInt(2 ** 31)
  if (Number.isInteger(seed) && Math.abs(seed) < 2 ** 31) return seed
  throw new UsageError(`expected a seed as a 32-bit integer, got ${seed}`)
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value
  throw new UsageError(`expected ${name} as a whole number of at least 1, got ${value}`)
}

const seconds = (startedAt: number): number => Math.round(performance.now() - startedAt) / 1000
