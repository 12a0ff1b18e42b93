import { type SeededRandom, seededRandom } from '@countersign/core/testing'
import { drawPlan, drawSmallPlan } from './draw-plan.ts'
import {
  alertActs,
  applicationActs,
  apps,
  type Command,
  calm,
  keyActs,
  memberActs,
  type Plan,
} from './plan.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Lists that a webhook of the legacy and the platform family selects, none of them of a review. */
const selections = [
  ['alert.triggered', 'alert.resolved'],
  ['application.purge_completed', 'application.promoted'],
  ['session.completed', 'quality.score_computed', 'health.status_changed'],
  ['session.flagged', 'gdpr.legal_hold_placed', 'compliance.rule_violation', 'alert.triggered'],
] as const

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[random.below(from.length)] as T
}

function drawSpans(random: SeededRandom, at: number, draw: number): Command {
  const [root, again] = [random.chance(0.6), random.chance(0.2)]
  return { at, draw, kind: 'spans', session: random.below(6), named: true, root, again }
}

function drawCommand(random: SeededRandom, at: number): Command {
  const draw = random.below(2 ** 32)
  const roll = random.below(100)
  // The first application lives on more often than not.
  const app = random.chance(0.75) ? apps - 1 : 0
  if (roll < 16) return drawSpans(random, at, draw)
  if (roll < 20) return { at, draw, kind: 'submit', session: random.below(6), again: 'no' }
  if (roll < 34) {
    const kind = random.chance(0.4) ? 'delete_app' : pick(random, applicationActs)
    return { at, draw, kind, app }
  }
  if (roll < 48) {
    const kind = random.chance(0.6) ? 'alert_create' : pick(random, alertActs)
    return { at, draw, kind, app: random.chance(0.5) ? null : app }
  }
  if (roll < 66) return { at, draw, kind: pick(random, keyActs), app: random.below(apps) }
  if (roll < 84) {
    const kind = random.chance(0.3)
      ? pick(random, ['invite', 'accept'] as const)
      : pick(random, memberActs)
    return { at, draw, kind, member: random.below(4) }
  }
  if (roll < 87) return drawLegacyHook(random, at)
  if (roll < 91) {
    const kind = pick(random, ['keys_rotate', 'hook_rotate'] as const)
    return { at, draw, kind, hook: random.below(3) }
  }
  return { at, draw, kind: pick(random, sessionKinds), session: random.below(3) }
}

/** Holds come often enough to keep erasures and purges waiting. */
const sessionKinds = [
  ...(['hold', 'hold', 'hold', 'release', 'mark', 'set_rules'] as const),
  ...(['erase', 'erase', 'erase', 'reject_erasure'] as const),
] as const

function drawLegacyHook(random: SeededRandom, at: number): Command {
  const types = pick(random, selections)
  return { at, draw: random.below(2 ** 32), kind: 'legacy_hook', types, secret: random.chance(0.7) }
}

/** A scenario of an organization: purges, alerts, keys and members, beside sessions and cases, with faults of its own. */
export function drawOrganizationPlan(seed: number): Plan {
  const random = seededRandom(seed)
  const base = drawPlan(seed)
  const span = Math.max(20 * minute, Math.min(base.span, 6 * hour))
  const count = 16 + random.below(24)
  // Some fall together, so that commands race.
  const own: Command[] = []
  for (let index = 0; index < count; index++) {
    const last = own.at(-1)
    const at = last && random.chance(0.25) ? last.at : 1 + random.below(span)
    own.push(drawCommand(random, at))
  }
  const others = base.commands.filter(({ at }) => at < span)
  const opening = [0, 1].map(() => drawLegacyHook(random, 0))
  return {
    ...base,
    span,
    pollMs: Math.max(2 * second, Math.floor(span / 15)),
    graceMs: Math.floor(span / (2 + random.below(8))),
    mends: true,
    commands: [
      ...others.slice(0, 4),
      ...opening,
      ...own.toSorted((a, b) => a.at - b.at),
      ...others.slice(4),
    ],
    disturbances: base.disturbances.filter(({ at }) => at < span),
  }
}

/**
 * A short scenario without chance, to be crashed at each of its storage points; the second application is purged.
 * Without invitations, which end after days: something is done in every hour of them.
 */
export function drawSmallOrganizationPlan(seed: number): Plan {
  const random = seededRandom(seed)
  const draw = () => random.below(2 ** 32)
  const gone = apps - 1
  const [completed, flagged] = [selections[2], selections[3]]
  const last = pick(random, selections)
  const spans = (at: number): Command => {
    const named = { kind: 'spans', named: true, root: true, again: false } as const
    return { at, draw: draw(), session: gone, ...named }
  }
  const open = (at: number): Command => {
    const unanswered = { kind: 'open', dueIn: null, expiresIn: hour, again: 'no' } as const
    return { at, draw: draw(), slot: gone, ...unanswered }
  }
  return {
    ...drawSmallPlan(seed),
    span: 10 * minute,
    pollMs: 10 * minute,
    graceMs: 8 * minute,
    disturbances: [],
    rates: calm,
    commands: [
      { at: 0, draw: draw(), kind: 'hook_create', all: true, shared: true },
      { at: 0, draw: draw(), kind: 'legacy_hook', types: [...completed, ...last], secret: true },
      { at: 0, draw: draw(), kind: 'legacy_hook', types: flagged, secret: false },
      { at: 0, draw: draw(), kind: 'set_callback', app: gone, enabled: true },
      { at: 1_000, draw: draw(), kind: 'alert_create', app: null },
      spans(2_000),
      { at: 3_000, draw: draw(), kind: 'submit', session: gone, again: 'no' },
      open(4_000),
      { at: 5_000, draw: draw(), kind: 'key_issue', app: gone },
      { at: 6_000, draw: draw(), kind: 'key_ask', app: gone },
      { at: 7_000, draw: draw(), kind: 'key_step', app: gone },
      { at: 60_000, draw: draw(), kind: 'mark', session: gone },
      { at: 70_000, draw: draw(), kind: 'key_step', app: gone },
      { at: 75_000, draw: draw(), kind: 'key_reveal', app: gone },
      { at: 80_000, draw: draw(), kind: 'promote', app: gone },
      { at: 90_000, draw: draw(), kind: 'delete_app', app: gone },
      { at: 99_000, draw: draw(), kind: 'key_revoke', app: 0 },
    ],
  }
}
