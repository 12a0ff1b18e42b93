import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import { drawPlan, drawSmallPlan } from './draw-plan.ts'
import { type Command, calm, type Plan, sessionActs } from './plan.ts'

const minute = 60_000
const hour = 60 * minute
const slots = 6

function drawSpans(random: SeededRandom, at: number, session: number): Command {
  const draw = random.below(2 ** 32)
  const [named, root, again] = [random.chance(0.7), random.chance(0.4), random.chance(0.2)]
  return { at, draw, kind: 'spans', session, named, root, again }
}

function drawSessionCommand(random: SeededRandom, at: number): Command {
  const session = random.below(slots)
  const roll = random.below(100)
  if (roll < 45) return drawSpans(random, at, session)
  const draw = random.below(2 ** 32)
  if (roll < 60) {
    const again = (['no', 'same', 'other'] as const)[random.below(3)] ?? 'no'
    return { at, draw, kind: 'submit', session, again }
  }
  const kind = acts[random.below(acts.length)] ?? 'mark'
  // Of few people, so that holds and erasures meet.
  return { at, draw, kind, session: kind === 'hold' || kind === 'erase' ? session % 3 : session }
}

const acts = [...sessionActs, 'mark', 'mark', 'hold', 'erase'] as const

function opening(random: SeededRandom): readonly Command[] {
  const draw = () => random.below(2 ** 32)
  return [
    { at: 0, draw: draw(), kind: 'set_rules', session: 0 },
    { at: 0, draw: draw(), kind: 'set_rules', session: 1 },
  ]
}

/** A scenario of sessions, from their spans to what retention leaves, with a swarm of faults of its own. */
export function drawSessionPlan(seed: number): Plan {
  const random = seededRandom(seed)
  const base = drawPlan(seed)
  const span = Math.min(base.span, 6 * hour)
  const count = 8 + random.below(16)
  const own = Array.from({ length: count }, () =>
    drawSessionCommand(random, 1 + random.below(span)),
  )
  const others = base.commands.filter(({ kind, at }) => at < span && !lasting.includes(kind))
  return {
    ...base,
    span,
    pollMs: Math.max(2_000, Math.floor(span / 15)),
    mends: true,
    ages: true,
    commands: [
      ...others.slice(0, 4),
      ...opening(random),
      ...own.toSorted((a, b) => a.at - b.at),
      ...others.slice(4),
    ],
    disturbances: base.disturbances.filter(({ at }) => at < span),
  }
}

const lasting: readonly string[] = ['keys_rotate', 'hook_rotate', 'hook_method']

/** A short scenario of sessions without chance, to be crashed at each of its storage points. */
export function drawSmallSessionPlan(seed: number): Plan {
  const random = seededRandom(seed)
  const base = drawSmallPlan(seed)
  const span = 30 * minute
  const draw = () => random.below(2 ** 32)
  const hook: Command = { at: 0, draw: draw(), kind: 'hook_create', all: true, shared: true }
  const spans = (at: number, session: number, root: boolean): Command => ({
    at,
    draw: draw(),
    kind: 'spans',
    session,
    named: root || random.chance(0.5),
    root,
    again: false,
  })
  const act = (at: number, kind: (typeof sessionActs)[number], session: number): Command => ({
    at,
    draw: draw(),
    kind,
    session,
  })
  // 0 is erased, 1 is held, 2 grows old.
  return {
    ...base,
    span,
    pollMs: span,
    mends: true,
    ages: true,
    disturbances: [],
    rates: calm,
    commands: [
      hook,
      act(0, 'set_rules', 0),
      spans(1_000, 0, false),
      spans(2_000, 0, true),
      { at: 3_000, draw: draw(), kind: 'submit', session: 2, again: 'no' },
      spans(4_000, 1, true),
      act(5_000, 'hold', 1),
      act(5 * minute, 'mark', 0),
      spans(6 * minute, 1, false),
      act(10 * minute, 'erase', 0),
    ],
  }
}
