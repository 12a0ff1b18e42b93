import type { CaseHead, CasePosition } from '@countersign/core/ports'
import { type BrokenInbox, faults } from './broken-inbox.ts'
import type { Change } from './host.ts'
import { handing } from './keeping.ts'

const eachTurn = 'each turn tells the head of its case, the turn itself counted'
const highest = 'a case ends at its highest head, whatever the order of its turns'
const positions = 'positions are compared by version, then by sequence, up to 2^53'

/** Keeps the heads itself, by an order of its own; `when` they are raised. */
const heading =
  (
    higher: (a: CasePosition, b: CasePosition) => boolean,
    when: 'store' | 'take' | 'handled' = 'take',
  ): Change =>
  (inbox) => {
    const heads = new Map<string, CaseHead>()
    const taken = new Map<string, CasePosition>()
    const raise = (position: CasePosition) => {
      const now = heads.get(position.reviewCaseId)
      if (!now || higher(position, now.head))
        heads.set(position.reviewCaseId, { head: position, previous: now?.head ?? null })
    }
    return {
      store: async (entry) => {
        if (entry.position && when === 'store') raise(entry.position)
        return inbox.store(entry)
      },
      take: async (query) =>
        (await inbox.take(query)).map((turn) => {
          const { position } = turn.entry
          if (!position) return turn
          taken.set(turn.entry.id, position)
          if (when === 'take') raise(position)
          return { ...turn, caseHead: heads.get(position.reviewCaseId) ?? turn.caseHead }
        }),
      handled: (turn, at) => {
        const position = taken.get(turn.id)
        if (position && when === 'handled') raise(position)
        return inbox.handled(turn, at)
      },
      head: async (id) => heads.get(id)?.head ?? null,
    }
  }

type Order = (a: CasePosition, b: CasePosition) => boolean
const sound: Order = (a, b) =>
  a.caseVersion > b.caseVersion ||
  (a.caseVersion === b.caseVersion && a.eventSequence > b.eventSequence)
const through =
  (of: (value: number) => number): Order =>
  (a, b) =>
    sound(
      { ...a, caseVersion: of(a.caseVersion), eventSequence: of(a.eventSequence) },
      { ...b, caseVersion: of(b.caseVersion), eventSequence: of(b.eventSequence) },
    )
const packed =
  (width: number): Order =>
  (a, b) =>
    a.caseVersion * width + a.eventSequence > b.caseVersion * width + b.eventSequence
const padded =
  (width: number): Order =>
  (a, b) => {
    const text = ({ caseVersion, eventSequence }: CasePosition) =>
      [caseVersion, eventSequence].map((one) => String(one).padStart(width, '0')).join('.')
    return text(a) > text(b)
  }

export const headFaults: readonly BrokenInbox[] = faults('heads', [
  ['raises heads when it stores', eachTurn, heading(sound, 'store')],
  ['raises heads when a turn is handled', eachTurn, heading(sound, 'handled')],
  ['takes the last turn for the head', eachTurn, heading(() => true)],
  ['takes the first turn for the head', eachTurn, heading(() => false)],
  ['takes an equal position for a higher one', eachTurn, heading((a, b) => !sound(b, a))],
  [
    'forgets which head was replaced',
    eachTurn,
    handing((turn) => ({
      ...turn,
      caseHead: turn.caseHead && { ...turn.caseHead, previous: null },
    })),
  ],
  [
    'tells the head before the turn',
    eachTurn,
    handing((turn) => ({
      ...turn,
      caseHead: turn.caseHead?.previous
        ? { head: turn.caseHead.previous, previous: null }
        : turn.caseHead,
    })),
  ],
  [
    'keeps one head for all cases',
    eachTurn,
    (inbox) => {
      let any = ''
      return {
        store: (entry) => {
          any ||= entry.position?.reviewCaseId ?? ''
          return inbox.store(entry)
        },
        head: () => inbox.head(any),
      }
    },
  ],
  [
    'tells no head to a retry',
    eachTurn,
    handing((turn) => (turn.attempt > 1 ? { ...turn, caseHead: null } : turn)),
  ],
])

export const positionFaults: readonly BrokenInbox[] = faults('positions', [
  ['orders by sequence alone', positions, heading((a, b) => a.eventSequence > b.eventSequence)],
  ['orders by version alone', positions, heading((a, b) => a.caseVersion > b.caseVersion)],
  [
    'orders by sequence first',
    highest,
    heading(
      (a, b) =>
        a.eventSequence > b.eventSequence ||
        (a.eventSequence === b.eventSequence && a.caseVersion > b.caseVersion),
    ),
  ],
  ['keeps 16 bits of a position', positions, heading(through((one) => one & 0xffff))],
  ['keeps 32 bits of a position', positions, heading(through((one) => one | 0))],
  ['keeps positions as single floats', positions, heading(through(Math.fround))],
  ['orders positions as text', positions, heading(padded(1))],
  ['orders positions as text of 10 digits', positions, heading(padded(10))],
  ...[1_000, 2 ** 16, 2 ** 32].map(
    (width) => [`packs a position by ${width}`, positions, heading(packed(width))] as const,
  ),
])
