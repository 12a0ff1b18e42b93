import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import {
  apps,
  type Command,
  calm,
  caseActs,
  type Disturbance,
  hookActs,
  hosts,
  modes,
  type Plan,
  type Rates,
} from './plan.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const spans = [20 * second, 10 * minute, 6 * hour, 80 * hour] as const

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[random.below(from.length)] as T
}

/** Moments that now and then fall together, so that commands race. */
function moments(random: SeededRandom, span: number, count: number): readonly number[] {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const last = times.at(-1)
    times.push(last !== undefined && random.chance(0.3) ? last : random.below(span))
  }
  return times.sort((a, b) => a - b)
}

/** Mostly long enough for something to happen before, now and then about the time at which it does. */
function expiry(random: SeededRandom, span: number): number {
  return random.chance(0.25) ? 1 + random.below(span) : span + random.below(span)
}

function drawCommand(random: SeededRandom, at: number, span: number, slots: number): Command {
  const draw = random.below(2 ** 32)
  const slot = random.below(slots)
  const base = { at, draw }
  const roll = random.below(100)
  if (roll < 22) {
    const expiresIn = random.chance(0.9) ? expiry(random, span) : null
    const dueIn = random.chance(0.5) ? 1 + random.below(expiresIn ?? span) : null
    const again = random.chance(0.2) ? pick(random, ['same', 'other'] as const) : 'no'
    return { ...base, kind: 'open', slot, dueIn, expiresIn, again }
  }
  if (roll < 70) {
    const kind = random.chance(0.3)
      ? 'claim'
      : random.chance(0.3)
        ? 'decide'
        : pick(random, caseActs)
    return { ...base, kind, slot }
  }
  if (roll < 74)
    return { ...base, kind: 'set_callback', app: random.below(apps), enabled: random.chance(0.8) }
  if (roll < 78)
    return { ...base, kind: 'hook_create', all: random.chance(0.7), shared: random.chance(0.5) }
  return { ...base, kind: pick(random, hookActs), hook: random.below(3) }
}

/** Things that every scenario begins with, so that there is something to be lost. */
function opening(random: SeededRandom, span: number, slots: number): readonly Command[] {
  const at = 0
  const draw = () => random.below(2 ** 32)
  const commands: Command[] = [
    { at, draw: draw(), kind: 'hook_create', all: true, shared: random.chance(0.5) },
    { at, draw: draw(), kind: 'set_callback', app: 0, enabled: true },
  ]
  for (let slot = 0; slot < slots; slot++)
    commands.push({
      at: 1 + random.below(Math.ceil(span / 10)),
      draw: draw(),
      kind: 'open',
      slot,
      dueIn: random.chance(0.4) ? 1 + random.below(span) : null,
      expiresIn: expiry(random, span) + span,
      again: 'no',
    })
  if (random.chance(0.5))
    commands.push({ at, draw: draw(), kind: 'hook_create', all: random.chance(0.5), shared: true })
  if (random.chance(0.5))
    commands.push({ at, draw: draw(), kind: 'set_callback', app: 1, enabled: true })
  return commands
}

function drawRates(random: SeededRandom): Rates {
  // Two levels: whether a fault occurs in this run at all, and how often.
  const level = (high: number) => (random.chance(0.5) ? 0 : pick(random, [high / 5, high]))
  return {
    crash: level(0.01),
    storeError: level(0.03),
    storeErrorAfter: level(0.02),
    stall: level(0.01),
    dropRequest: level(0.2),
    dropAnswer: level(0.2),
    duplicate: level(0.1),
    delay: level(0.2),
    forget: level(0.05),
  }
}

const jumps = [10 * minute, -10 * minute, 72 * hour, -72 * hour, 1_500, -1_500] as const

function drawDisturbances(
  random: SeededRandom,
  span: number,
  machines: number,
): readonly Disturbance[] {
  const found: Disturbance[] = []
  const at = () => random.below(span)
  if (random.chance(0.4))
    for (let n = 1 + random.below(3); n > 0; n--)
      found.push({ at: at(), kind: 'crash', machine: random.below(machines) })
  if (random.chance(0.35))
    for (let n = 1 + random.below(2); n > 0; n--) {
      const machine = random.chance(0.3) ? ('all' as const) : random.below(machines)
      found.push({ at: at(), kind: 'jump', machine, by: pick(random, jumps) })
    }
  if (random.chance(0.7))
    for (let n = 1 + random.below(4); n > 0; n--) {
      const mode = random.chance(0.25) ? 'well' : pick(random, modes)
      found.push({
        at: random.chance(0.4) ? 0 : at(),
        kind: 'mode',
        host: random.below(hosts),
        mode,
      })
    }
  return found.sort((a, b) => a.at - b.at)
}

/** Drawn last, so that a seed's other faults stay what they are. */
function drawDrains(random: SeededRandom, span: number, machines: number): readonly Disturbance[] {
  if (!random.chance(0.3)) return []
  return Array.from({ length: 1 + random.below(2) }, () => ({
    at: random.below(span),
    kind: 'drain' as const,
    machine: random.below(machines),
  }))
}

/** A scenario with a swarm of faults of its own. */
export function drawPlan(seed: number): Plan {
  const random = seededRandom(seed)
  // Days are rare: they cost the most, for something is done in every hour of them.
  const span = pick(random, random.chance(0.6) ? spans.slice(0, 2) : spans)
  const machines = 1 + random.below(3)
  const count = 5 + random.below(11)
  const slots = 1 + random.below(4)
  const later = moments(random, span, count).map((at) => drawCommand(random, at, span, slots))
  const plan = {
    seed,
    machines,
    span,
    pollMs: Math.max(2 * second, Math.floor(span / 15)),
    slots: pick(random, [1, 2, 16]),
    mends: random.chance(0.85),
    graceMs: hour,
    ages: false,
    commands: [...opening(random, span, slots), ...later],
    disturbances: drawDisturbances(random, span, machines),
    rates: drawRates(random),
    crashAt: [],
  }
  const drains = drawDrains(random, span, machines)
  return { ...plan, disturbances: [...plan.disturbances, ...drains] }
}

const lasting: readonly string[] = ['keys_rotate', 'hook_rotate', 'hook_method']

/** A short scenario without chance, to be crashed at each of its storage points. */
export function drawSmallPlan(seed: number): Plan {
  const random = seededRandom(seed)
  const span = pick(random, spans.slice(0, 2))
  const count = 1 + random.below(2)
  const begin = opening(random, span, 1)
    .slice(0, 3)
    .filter(({ kind }) => kind !== 'set_callback' || random.chance(0.5))
  const later = moments(random, span, count)
    .map((at) => drawCommand(random, at, span, 1))
    // What takes days to end has storage points in every hour of them.
    .filter(({ kind }) => !lasting.includes(kind))
    .map((one) =>
      one.kind === 'open' ? { ...one, again: 'no' as const, expiresIn: 2 * span } : one,
    )
  const mode = {
    at: 0,
    kind: 'mode',
    host: random.below(hosts),
    mode: pick(random, modes),
  } as const
  return {
    seed,
    machines: 1,
    span,
    pollMs: span,
    slots: 16,
    mends: true,
    graceMs: hour,
    ages: false,
    commands: [...begin, ...later],
    disturbances: random.chance(0.3) ? [mode] : [],
    rates: calm,
    crashAt: [],
  }
}
