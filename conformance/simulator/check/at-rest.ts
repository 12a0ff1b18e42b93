import { collections, logs } from '@countersign/core'
import { attempts, deliveries, messages, reviewCases } from '@countersign/core/internal'
import type { Collection, Key } from '@countersign/core/ports'
import { chainHash, chainStart } from '@countersign/core/store-kit'
import type { MemoryStore } from '@countersign/core/testing'
import type { Stage } from '../play/stage.ts'
import { ahead, type Receiver, type Receivers } from '../receivers.ts'
import { keyText, type Truth } from '../truth.ts'
import type { World } from '../world.ts'
import { textOf } from './context.ts'
import { checkWindows, type Missed } from './missed-windows.ts'

/** What must hold once everything has come to rest. */
export function checkAtRest(input: {
  readonly world: World
  readonly truth: Truth
  readonly store: MemoryStore
  readonly stage: Stage
  readonly receivers: Receivers
  readonly missed: readonly Missed[]
}): void {
  checkDurable(input.world, input.truth, input.store)
  checkShown(input.world, input.truth, input.stage)
  checkEnds(input.world, input.truth, input.receivers)
  checkLog(input.world, input.truth)
  checkHeads(input.world, input.truth, input.receivers)
  checkWindows(input.world, input.truth, input.missed)
  checkAudit(input.world, input.store)
}

/** The store still has what it said it had committed, and nothing else. */
function checkDurable(world: World, truth: Truth, store: MemoryStore): void {
  for (const collection of collections as readonly unknown[] as readonly Collection[]) {
    const kept = truth.rows(collection)
    const held = store.rows(collection)
    let matching = 0
    for (const { row, version } of held) {
      const values = collection.key.map((column) => Reflect.get(row, column))
      const mine = kept.get(keyText(values as unknown as Key))
      if (mine?.version === version) matching++
      else
        world.broken(
          'committed is durable',
          `${collection.name} ${JSON.stringify(values)} has version ${version}, committed was ${mine?.version ?? 0}`,
        )
    }
    if (matching !== kept.size)
      world.broken(
        'committed is durable',
        `${collection.name}: ${kept.size} rows were committed, ${held.length} are there`,
      )
  }
}

/** Whatever an answer showed of a case still stands in its history, or stood there until retention removed it. */
function checkShown(world: World, truth: Truth, { shown, gone }: Stage): void {
  for (const view of shown) {
    const id = view.reviewCaseId
    const { history = [] } = truth.rows(reviewCases).get(id)?.row ?? gone.get(id) ?? {}
    for (const [at, told] of view.history.entries()) {
      const kept = history[at]
      if (
        kept?.step === told.step &&
        kept.eventSequence === told.eventSequence &&
        kept.actor === told.actor
      )
        continue
      world.broken('acknowledged is kept', `${id}: ${told.step} by ${told.actor} is gone`)
      return
    }
  }
}

/** Everything owed came to an end, and `delivered` means that it lies at the receiver. */
function checkEnds(world: World, truth: Truth, receivers: Receivers): void {
  for (const [key, { row }] of truth.rows(deliveries)) {
    if (row.due !== null) world.broken('every event has an end', `${key} is still ${row.status}`)
    const receiver = receivers.all.get(row.endpointId)
    if (row.status === 'delivered' && !receiver?.stored.has(row.messageId))
      world.broken('delivered means received', `${key} is not at its receiver`)
    const effects = receiver?.effects.get(row.messageId) ?? 0
    if (effects > 1) world.broken('receivers converge', `${key} had ${effects} effects`)
  }
  for (const [key, { row }] of truth.rows(reviewCases)) {
    if (row.state === 'open') world.broken('every event has an end', `${key} is still open`)
    if (row.callback.state === 'pending')
      world.broken('every event has an end', `the callback of ${key} is still pending`)
  }
}

/** No attempt of a round is in the log twice; deliveries with later rounds aside, for an entry does not name its round. */
function checkLog(world: World, truth: Truth): void {
  const rounds = new Map(
    [...truth.rows(deliveries).values()].map(({ row }) => [row.deliveryId, row.round]),
  )
  const seen = new Set<string>()
  for (const { row } of truth.rows(attempts).values()) {
    const entry = `${row.deliveryId} ${row.attempt}`
    if (rounds.get(row.deliveryId) === 1 && seen.has(entry))
      world.broken('delivery moves', `attempt ${row.attempt} of ${row.messageId} is logged twice`)
    seen.add(entry)
  }
}

/** A receiver's head of a case is the highest event that it was sent, in whatever order they came. */
function checkHeads(world: World, truth: Truth, receivers: Receivers): void {
  const expected = new Map<string, { caseVersion: number; eventSequence: number }>()
  for (const { row } of truth.rows(deliveries).values()) {
    if (row.kind !== 'event' || row.status !== 'delivered') continue
    if (!row.type.startsWith('review.')) continue
    const body = truth.rows(messages).get(row.messageId)?.row.body
    if (!body) continue
    const event = JSON.parse(textOf(body)) as Readonly<Record<string, unknown>>
    const at = {
      caseVersion: Number(event.caseVersion),
      eventSequence: Number(event.eventSequence),
    }
    const key = keyText([row.endpointId, String(event.reviewCaseId)])
    const head = expected.get(key)
    if (!head || ahead(at, head)) expected.set(key, at)
  }
  for (const [key, head] of expected) {
    const [endpointId = '', reviewCaseId = ''] = JSON.parse(key) as string[]
    const receiver: Receiver | undefined = receivers.all.get(endpointId)
    const found = receiver?.heads.get(reviewCaseId)
    // One that was sent and given up may have come all the same, so a head may lie beyond.
    if (!found || ahead(head, found))
      world.broken(
        'receivers converge',
        `${endpointId} ends at ${found?.caseVersion}.${found?.eventSequence} of ${reviewCaseId}, expected ${head.caseVersion}.${head.eventSequence}`,
      )
  }
}

/** Each tenant's audit log is one chain from its beginning. */
function checkAudit(world: World, store: MemoryStore): void {
  for (const log of logs)
    for (const [partition, entries] of store.entries(log)) {
      let hash = chainStart
      for (const [at, entry] of entries.entries()) {
        hash = chainHash(hash, entry.entry)
        const linked = hash.every((byte, index) => byte === entry.hash[index])
        if (entry.position !== at + 1 || !linked) {
          world.broken('audit chain', `${log.name} of ${partition} breaks at ${at + 1}`)
          break
        }
      }
    }
}
