import { randomInt } from 'node:crypto'
import type { KeyTexts } from './keys.ts'
import type { Probe } from './probe.ts'
import type { Property } from './property.ts'
import type { PropertyReport } from './report.ts'
import { type Need, needs } from './target.ts'
import { UsageError } from './usage-error.ts'

/** Options of a run against a receiver. */
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
  /** Failures that are accepted: the reason by the property's name. They are reported, and count as no failure. */
  readonly except?: Readonly<Record<string, string>> | undefined
  /** Histories that an ordinary property draws besides its listed cases, 20 unless given; 3 when `quick`. */
  readonly runs?: number | undefined
  /** Of each list, this many cases, spread over it by the seed; all unless given, 8 of most lists when `quick`. */
  readonly mostCases?: number | undefined
  /** A part of most lists, few histories, nothing slow, within 9 s: for each save of a file. */
  readonly quick?: boolean | undefined
  /** Ms after which no history begins any more, 60,000 unless given; 9,000 when `quick`. One that has begun is finished. */
  readonly budgetMs?: number | undefined
  /**
   * Ms after which nothing at all begins: past the budget, those required properties go on that there was no time for.
   * The budget where one is given, or a quick run; else three times as long, for a machine that is busy.
   */
  readonly mostBudgetMs?: number | undefined
  /** Ms in which an answer counts, 10,000 unless given, which is what the service waits. */
  readonly deadlineMs?: number | undefined
  /** Ms that an effect may take to show at the probe; unless given 5,000, or four times what a few effects took at the start. */
  readonly settleMs?: number | undefined
  /** Ms after a kill until what the dead process held is handled again, 35,000 unless given: leases end first. */
  readonly resumeMs?: number | undefined
  /** Properties that run at once; unless given, 4, and up to 16 where answers are mostly waited for. */
  readonly lanes?: number | undefined
  /** Ms for which a counterexample is shrunk, a tenth of the budget unless given. */
  readonly shrinkMs?: number | undefined
  /** Ms to wait until a plain delivery is accepted for the first time, 0 unless given. */
  readonly waitMs?: number | undefined
  /** Once it is aborted, no property begins any more: what was not judged by then was not, for want of time. */
  readonly signal?: AbortSignal | undefined
  /** Told once the receiver took a plain delivery and its probe answered, before anything is judged. */
  readonly onStart?: ((start: Start) => void) | undefined
  /** Told of each property once it is judged; of none where the receiver can't be used at all. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Told of each history before it is played, shrinking aside: plain data, by the name of its property. */
  readonly onHistory?: ((property: string, history: unknown) => void) | undefined
}

/** What a run is about to judge. */
export interface Start {
  /** Properties that the run is to judge. */
  readonly of: number
  /** What keeps some of them from being judged, each once. */
  readonly lacking: readonly Lacking[]
}

/** Something that a target can't do, and was not given. */
export interface Lacking {
  readonly need: Need
  /** How to give it. */
  readonly how: string
  /** Names of the properties that need it. */
  readonly properties: readonly string[]
}

export function lackingOf(chosen: readonly Property[], has: ReadonlySet<Need>): readonly Lacking[] {
  return (Object.keys(needs) as Need[]).flatMap((need) => {
    const those = has.has(need) ? [] : chosen.filter((property) => property.needs.includes(need))
    return those.length === 0
      ? []
      : [{ need, how: needs[need], properties: those.map(({ name }) => name) }]
  })
}

/** A property that was just judged, and how many there are. */
export interface Progress {
  readonly done: number
  readonly of: number
  readonly property: PropertyReport
}

/** The properties that the options name; throws a UsageError. */
export function choose(
  { only, path }: ReceiverSuiteOptions,
  properties: readonly Property[],
): readonly Property[] {
  const unknown = only?.find((text) => !properties.some((property) => isOf(property, text)))
  if (unknown !== undefined)
    throw new UsageError(
      `expected the name of a property or a group, got ${unknown}: one of ${namesOf(properties)}`,
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

export function readExceptions(
  { except = {} }: ReceiverSuiteOptions,
  properties: readonly Property[],
): Readonly<Record<string, string>> {
  for (const [name, reason] of Object.entries(except)) {
    if (!properties.some((property) => property.name === name))
      throw new UsageError(
        `expected an exception for one property, got ${name}: one of ${namesOf(properties)}`,
      )
    if (reason.trim() === '')
      throw new UsageError(`expected a reason for the exception of ${name}, got none`)
  }
  return except
}

const namesOf = (properties: readonly Property[]): string =>
  properties.map(({ name }) => name).join(', ')

function isOf({ name }: Property, text: string): boolean {
  return name === text || name.startsWith(`${text}.`)
}

export function readSeed(seed: number | undefined): number {
  if (seed === undefined) return randomInt(2 ** 31)
  if (Number.isInteger(seed) && Math.abs(seed) < 2 ** 31) return seed
  throw new UsageError(`expected a seed as a 32-bit integer, got ${seed}`)
}

export function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value
  throw new UsageError(`expected ${name} as a whole number of at least 1, got ${value}`)
}
