import { collections, logs } from '@countersign/core'
import { webhooks } from '@countersign/core/internal'
import type { Collection, Store } from '@countersign/core/ports'
import type { Primitives } from '@countersign/core/signing'
import { createMemoryBlobs, createMemoryStore, seededRandom } from '@countersign/core/testing'
import { checkAlerts } from './check/alerts.ts'
import { checkAtRest } from './check/at-rest.ts'
import { checkCases } from './check/cases.ts'
import { checkDeliveries } from './check/deliveries.ts'
import { checkErasure } from './check/erasure.ts'
import { checkEvents } from './check/events.ts'
import { checkHooks } from './check/hooks.ts'
import { checkKeys } from './check/keys.ts'
import { checkLifecycle } from './check/lifecycle.ts'
import { checkMembers } from './check/members.ts'
import { watchMissed } from './check/missed-windows.ts'
import { checkPlatformEvents } from './check/platform-events.ts'
import { checkPosts } from './check/posts.ts'
import { checkPurged } from './check/purged.ts'
import { checkRetention } from './check/retention.ts'
import { checkSeals } from './check/seals.ts'
import { checkSessions, retentionMs } from './check/session-rows.ts'
import { checkAged, checkSessionsAtRest } from './check/sessions-at-rest.ts'
import { createMachine, type Machine } from './machine.ts'
import { createNetwork } from './network.ts'
import type { Disturbance, Plan } from './plan.ts'
import { castFor } from './play/cast.ts'
import { createClient } from './play/client.ts'
import { endOrganizations } from './play/end-organizations.ts'
import { mend, releaseHolds } from './play/mend.ts'
import { createOrganizationMemory } from './play/organization-memory.ts'
import { perform } from './play/perform.ts'
import { readHistory } from './play/read-history.ts'
import { readSessions } from './play/read-sessions.ts'
import type { Stage } from './play/stage.ts'
import { useCredentials } from './play/use-credentials.ts'
import { quickPrimitives } from './primitives.ts'
import type { Violation } from './properties.ts'
import { createReceivers, type ReceiverRules, rightRules } from './receivers.ts'
import { of, watchStore } from './truth.ts'
import { createVirtualTime, type Outside } from './virtual-time.ts'
import { createWorld, epoch, type World } from './world.ts'

export interface RunOptions {
  /** Native or portable ones make a run slower and prove nothing more about order. */
  readonly primitives?: Primitives
  readonly rules?: ReceiverRules
  /** Puts something between the checks and the memory store. */
  readonly wrapStore?: (store: Store) => Store
  /** Puts something between the processes and the checks. */
  readonly wrapPort?: (store: Store) => Store
  /** What a store that `wrapStore` put there is still at: nothing else happens until then. */
  readonly outside?: Outside
  readonly keepLog?: boolean
}

export interface RunResult {
  readonly violations: readonly Violation[]
  /** Storage points passed. */
  readonly points: number
  /** Points at which a process crashed. */
  readonly crashes: readonly number[]
  readonly commits: number
  readonly posts: number
  /** Things that happened, at one moment each. */
  readonly steps: number
  /** The transcript, where it was asked for. */
  readonly log: readonly string[]
}

const hour = 3_600_000
const day = 24 * hour
/** Far longer than any schedule needs, jumps of the clock included. */
const restMs = 60 * day

/** Runs a plan to its end, or to the first moment at which something is wrong. */
export async function run(plan: Plan, options: RunOptions = {}): Promise<RunResult> {
  const primitives = options.primitives ?? quickPrimitives
  const log: string[] | null = options.keepLog ? [] : null
  const random = seededRandom(plan.seed)
  const time = createVirtualTime(options.outside)
  const world = createWorld(plan, { time, chance: random.fork(), log })
  const memory = createMemoryStore({
    collections: collections as readonly unknown[] as readonly Collection[],
    logs,
  })
  const blobs = createMemoryBlobs()
  const missed = watchMissed(world)
  const hooksWritten = new Map<string, number>()
  const posts = checkPosts(world, () => watched.truth, primitives)
  const retention = checkRetention(world)
  const sessionChecks = checkSessions(world)
  const erasure = checkErasure(world)
  const seals = checkSeals(world)
  const lifecycle = checkLifecycle(world)
  const alerts = checkAlerts(world, lifecycle)
  const keys = checkKeys(world)
  const watched = watchStore(options.wrapStore?.(memory) ?? memory, {
    committing(committed) {
      const { truth } = watched
      checkCases(world, committed)
      retention.committing(truth, committed)
      sessionChecks.committing(truth, committed)
      erasure.committing(truth, committed)
      seals.committing(truth, committed)
      lifecycle.committing(truth, committed)
      alerts.committing(truth, committed)
      keys.committing(truth, committed)
      checkMembers(world, truth, committed)
      missed.committing(committed, [
        ...checkPlatformEvents(world, truth, committed),
        ...checkEvents(world, truth, committed).missed,
      ])
      checkDeliveries(world, truth, committed, posts.posts, (id) => retention.isOver(truth, id))
      checkHooks(world, truth, committed, posts.posts)
      posts.committed(committed)
      for (const { key, after } of of(webhooks, committed.transitions))
        if (after) hooksWritten.set(key, Math.max(hooksWritten.get(key) ?? 0, after.row.updatedAt))
      world.note(() => `${committed.by} commits ${describe(committed.set.puts ?? [])}`)
    },
    claimed(transitions, by) {
      for (const { key } of transitions) world.note(() => `${by} claims ${key}`)
    },
    read: posts.read,
  })
  const { cast, rows } = await castFor(primitives)
  await watched.as('setup').commit(rows)
  const receivers = createReceivers(world, options.rules ?? rightRules, posts.endpointOf)
  const network = createNetwork(world, receivers, { posting: posts.posting, ended: () => {} })
  const machines = Array.from({ length: plan.machines }, (_, index) =>
    createMachine(index, {
      world,
      random,
      primitives,
      blobs,
      storeOf: (name) => options.wrapPort?.(watched.as(name)) ?? watched.as(name),
      transportOf: (process) => network.transport(process),
      observe: observer(world),
    }),
  )
  const client = createClient(world, machines)
  const stage: Stage = {
    world,
    truth: watched.truth,
    cast,
    client,
    cases: new Map(),
    gone: retention.gone,
    hooks: [],
    hooksWritten,
    shown: [],
    keys: new Map(),
    urls: 0,
    sent: new Map(),
    goneSteps: sessionChecks.gone,
    deletions: lifecycle,
    rules: alerts.rules,
    issued: keys.issued,
    memory: createOrganizationMemory(),
  }

  for (const machine of machines) machine.boot()
  let pending = 0
  const start = (task: () => Promise<void>) => {
    pending++
    task().then(
      () => pending--,
      (error: unknown) => world.broken('nothing throws', `the play itself: ${String(error)}`),
    )
  }
  for (const command of plan.commands)
    time.after(command.at, () => start(() => perform(stage, command)))
  for (const one of plan.disturbances)
    time.after(one.at, () => disturb(one, machines, network.setMode))

  const wrong = () => world.violations.length > 0
  await time.run(wrong, plan.span)
  if (!wrong()) await rest()
  return {
    violations: world.violations,
    points: world.points,
    crashes: world.crashes,
    commits: watched.truth.commits,
    posts: network.posts.length,
    steps: time.steps,
    log: log ?? [],
  }

  /** No more faults: everything that was begun must end, also after the owner has mended what was off. */
  async function rest(): Promise<void> {
    world.phase = 'rest'
    world.note('no more faults')
    for (let host = 0; host < 8; host++) network.setMode(host, 'well')
    for (const machine of machines) {
      machine.crash(null)
      machine.setWall(0)
    }
    machines[0]?.boot()
    const end = time.now() + restMs
    if (plan.ages || isErasing()) start(() => releaseHolds(stage))
    start(() => endOrganizations(stage, alerts))
    if (!(await settle(end))) return
    if (plan.mends) {
      start(() => mend(stage))
      if (!(await settle(end))) return
    }
    world.phase = 'over'
    start(() => readHistory(stage))
    if (!(await settle(time.now() + day))) return
    start(() => readSessions(stage, () => sessionChecks.counted))
    start(() => useCredentials(stage))
    if (!(await settle(time.now() + day))) return
    checkAtRest({
      world,
      truth: watched.truth,
      store: memory,
      stage,
      receivers,
      missed: missed.all,
    })
    checkSessionsAtRest(world, watched.truth, blobs)
    checkPurged(world, watched.truth, blobs)
    if (plan.ages && !wrong()) await age()
  }

  function isErasing(): boolean {
    return plan.commands.some(({ kind }) => kind === 'erase')
  }

  /** Time takes all that is not under hold: twice looked at, since one look alone removes nothing. */
  async function age(): Promise<void> {
    world.phase = 'rest'
    time.leap(retentionMs + day)
    if ((await time.run(wrong, time.now() + 1.2 * hour)) === 'until') return
    // Blobs that lost their row are looked for once a day.
    time.leap(day)
    if ((await time.run(wrong, time.now() + hour / 6)) === 'until') return
    world.phase = 'over'
    checkAged(world, watched.truth, blobs, epoch + time.now())
    if (wrong()) return
    start(() => readSessions(stage, () => sessionChecks.counted))
    await settle(time.now() + day)
  }

  async function settle(end: number): Promise<boolean> {
    const still = () => pending === 0 && watched.truth.waiting === 0 && quiet()
    const outcome = await time.run(() => wrong() || still(), end)
    if (outcome !== 'until' && !still())
      world.broken('comes to rest', `${watched.truth.waiting} rows still wait, ${pending} callers`)
    return !wrong()
  }

  function quiet(): boolean {
    return !network.isWaiting(machines[0]?.running?.name)
  }
}

function disturb(
  one: Disturbance,
  machines: readonly Machine[],
  setMode: (host: number, mode: Extract<Disturbance, { kind: 'mode' }>['mode']) => void,
): void {
  if (one.kind === 'mode') setMode(one.host, one.mode)
  else if (one.kind === 'crash') machines[one.machine]?.crash(5_000)
  else if (one.kind === 'drain') machines[one.machine]?.drain(5_000)
  else
    for (const [index, machine] of machines.entries())
      if (one.machine === 'all' || one.machine === index) machine.jump(one.by)
}

/** What a process reports that nobody made it meet is a bug. */
function observer(world: World) {
  const { storeError, storeErrorAfter } = world.plan.rates
  const broken = storeError > 0 || storeErrorAfter > 0
  return (process: string, name: string, fields: Readonly<Record<string, unknown>>) => {
    if (name.startsWith('delivery.') || name === 'outbox.claimed') return
    world.note(`${process} reports ${name} ${JSON.stringify(fields)}`)
    const bad = name === 'outbox.fault' || name === 'work.failed' || name === 'work.store_failed'
    if (bad && !broken) world.broken('nothing throws', `${name} ${JSON.stringify(fields)}`)
  }
}

function describe(puts: readonly { readonly in: string; readonly row: object }[]): string {
  return puts
    .map(({ in: name, row }) => {
      const state = Reflect.get(row, 'status') ?? Reflect.get(row, 'state')
      const id = Reflect.get(row, name === 'deliveries' ? 'messageId' : 'reviewCaseId') ?? ''
      return `${name}${typeof state === 'string' ? `:${state}` : ''}${id ? ` ${String(id)}` : ''}`
    })
    .join(', ')
}
