import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparePositions, type Position } from '@countersign/core/events'
import type { CaseHead, CasePosition, Inbox } from '@countersign/core/ports'
import { createManualClock } from '@countersign/core/testing'
import {
  createReceiver,
  type EventTurn,
  fold,
  memoryInbox,
  type Receiver,
} from '@countersign/receiver-kit'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import fc from 'fast-check'
import { send, sharedSigner, start } from './support.ts'

interface Life {
  readonly events: readonly { readonly case: number; readonly sequence: number }[]
  /** For each turn of a handler: 0 fails before its effect, 1 fails after, 2 dies in the middle, else it succeeds. */
  readonly fates: Iterator<number>
  readonly handlerMs: Iterator<number>
  readonly gaps: Iterator<number>
}

const life = fc.record(
  {
    events: fc.uniqueArray(
      fc.record({ case: fc.integer({ min: 1, max: 2 }), sequence: fc.integer({ min: 1, max: 6 }) }),
      { minLength: 1, maxLength: 10, selector: (one) => one.case * 100 + one.sequence },
    ),
    fates: fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
    handlerMs: fc.infiniteStream(fc.integer({ min: 0, max: 4_000 })),
    gaps: fc.infiniteStream(fc.integer({ min: 0, max: 2_000 })),
  },
  { noNullPrototype: true },
)

interface Variant {
  readonly inbox?: (inbox: Inbox) => Inbox
  readonly acts?: (turn: EventTurn) => boolean
}

const never = () => new Promise<void>(() => {})

interface Process {
  alive: boolean
  readonly receiver: Receiver
}

/** Two processes over one inbox, handlers that fail and processes that die: what was done, case by case, in order. */
async function effectsOf({ events, fates, handlerMs, gaps }: Life, variant: Variant) {
  const clock = createManualClock(start, { settle: () => new Promise(setImmediate) })
  const signer = sharedSigner(clock.now)
  const whole = memoryInbox()
  const inbox = variant.inbox?.(whole) ?? whole
  const acts = variant.acts ?? (({ position }: EventTurn) => position === 'head')
  const effects = new Map<string, Position[]>()
  const finished = new Set<string>()
  const draw = (from: Iterator<number>): number => from.next().value ?? 9
  const processes = [launch(0), launch(1)]

  function launch(slot: number): Process {
    const own: Process = {
      alive: true,
      receiver: createReceiver({
        keys: [signer.key],
        inbox: { ...inbox, hold: (...renewal) => (own.alive ? inbox.hold(...renewal) : never()) },
        clock,
        holdMs: 5_000,
        onEvent: (turn) => handle(turn, own, slot),
      }),
    }
    own.receiver.start()
    return own
  }

  async function handle(turn: EventTurn, own: Process, slot: number): Promise<void> {
    // Fates run out, as an outage does, so that every event is handled in the end.
    const fate = turn.attempt > 4 ? 9 : draw(fates)
    if (fate === 0) throw new Error('before the effect')
    await new Promise<void>((resolve) => clock.after(draw(handlerMs), resolve))
    if (!own.alive) return never()
    if (acts(turn)) {
      const { caseVersion, eventSequence } = turn.message
      const reviewCaseId = String(turn.message.reviewCaseId)
      const position = { caseVersion, eventSequence } as Position
      effects.set(reviewCaseId, [...(effects.get(reviewCaseId) ?? []), position])
    }
    if (fate === 1) throw new Error('after the effect')
    if (fate === 2) {
      own.alive = false
      void own.receiver.stop()
      processes[slot] = launch(slot)
      await never()
    }
    finished.add(turn.message.id)
  }

  for (const [at, one] of events.entries()) {
    const message = sampleReviewEvent({
      id: `evt_${one.case}_${one.sequence}`,
      reviewCaseId: `rc_${one.case}`,
      caseVersion: one.sequence,
      eventSequence: one.sequence,
    })
    const { receiver } = processes[at % 2] as Process
    const answer = send(receiver, signer.sign(message))
    await clock.advance(draw(gaps))
    assert.equal((await answer).status, 204)
  }
  for (let round = 0; round < 300 && finished.size < events.length; round++)
    await clock.advance(1_000)
  return { effects, finished }
}

/** An inbox that keeps heads in another way; with lanes, and raised when taken, it would be as good as the real one. */
function keepHeadsAside(inbox: Inbox, how: { lanes: boolean; raiseAt: 'take' | 'handled' }): Inbox {
  const positions = new Map<string, CasePosition>()
  const heads = new Map<string, CaseHead>()
  const raised = (position: CasePosition): CaseHead => {
    const current = heads.get(position.reviewCaseId)
    if (current && fold(current.head, position).kind !== 'head') return current
    return { head: position, previous: current?.head ?? null }
  }
  const raise = (position: CasePosition): CaseHead => {
    const change = raised(position)
    heads.set(position.reviewCaseId, change)
    return change
  }
  return {
    ...inbox,
    store(entry) {
      if (entry.position) positions.set(entry.id, entry.position)
      return inbox.store(how.lanes ? entry : { ...entry, position: null })
    },
    async take(query) {
      const turns = await inbox.take(query)
      return turns.map(({ entry, attempt }) => {
        const position = positions.get(entry.id) ?? null
        const caseHead = position && (how.raiseAt === 'take' ? raise : raised)(position)
        return { entry: { ...entry, position }, attempt, caseHead }
      })
    },
    handled(turn, at) {
      const position = positions.get(turn.id)
      if (position) raise(position)
      return inbox.handled(turn, at)
    },
  }
}

async function neverBackwards(
  variant: Variant = {},
  drawn: { readonly numRuns: number; readonly seed?: number } = { numRuns: 100 },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(life, async (one) => {
      const { effects, finished } = await effectsOf(one, variant)
      assert.equal(finished.size, one.events.length, 'an event was never handled')
      for (const [reviewCaseId, positions] of effects) {
        for (const [at, position] of positions.entries()) {
          const before = positions[at - 1]
          assert.ok(!before || comparePositions(before, position) <= 0, 'an effect ran backwards')
        }
        const highest = one.events
          .filter((event) => `rc_${event.case}` === reviewCaseId)
          .reduce((most, { sequence }) => Math.max(most, sequence), 0)
        assert.equal(positions.at(-1)?.eventSequence, highest, 'the last effect is not the head')
      }
    }),
    { ...drawn, endOnFailure: true },
  )
}

describe('effects of the head', () => {
  it('never run backwards, whatever fails, dies or overlaps, and end at the highest event', () =>
    neverBackwards())

  it('hold of any inbox that hands out one at a time and raises the head as it does', () =>
    neverBackwards(
      { inbox: (inbox) => keepHeadsAside(inbox, { lanes: true, raiseAt: 'take' }) },
      { numRuns: 30 },
    ))

  const mutants: Record<string, Variant> = {
    'the handler acted on history too': { acts: () => true },
    'the inbox handed out a case’s events at once': {
      inbox: (inbox) => keepHeadsAside(inbox, { lanes: false, raiseAt: 'take' }),
    },
    'an event counted as seen only once it was handled': {
      inbox: (inbox) => keepHeadsAside(inbox, { lanes: true, raiseAt: 'handled' }),
    },
  }
  // Drawn alike in every run: whether chance finds a mutant is no news.
  const forMutants = { numRuns: 300, seed: 1 }
  for (const [what, variant] of Object.entries(mutants))
    it(`would, if ${what}`, () =>
      assert.rejects(
        () => neverBackwards(variant, forMutants),
        ({ cause }: Error) => /ran backwards|is not the head/.test(String(cause)),
      ))
})
