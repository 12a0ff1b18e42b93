import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeSet } from '@countersign/core/ports'
import {
  type EncodedSet,
  type EncodedWrite,
  type Encoder,
  encodeSet,
  type StoreRules,
} from '@countersign/core/store-kit'

/** Rows that one turn of the loop checks, encodes or packs: some milliseconds. */
export const rowsInTurn = 1_000

/** Whether a set has more rows than one turn is to take. */
export function isLarge({ puts = [] }: ChangeSet): boolean {
  return puts.length > rowsInTurn
}

/** Checks and encodes a large set, a thousand rows in each turn of the loop. Its rows may not change until it resolves. */
export async function encodeInTurns(
  rules: Pick<StoreRules, 'checkInPieces'>,
  encoderOf: (name: string) => Encoder,
  set: ChangeSet,
  turn: () => Promise<unknown> = () => nextTurn(),
): Promise<EncodedSet> {
  for (const _ of rules.checkInPieces(set, rowsInTurn)) await turn()
  const { puts = [] } = set
  const others = encodeSet(encoderOf, { ...set, puts: [] })
  const writes: EncodedWrite[] = [...others.writes]
  for (let at = 0; at < puts.length; at += rowsInTurn) {
    for (const put of puts.slice(at, at + rowsInTurn)) writes.push(encoderOf(put.in).put(put))
    await turn()
  }
  return { ...others, writes }
}

/** What `pack` makes of the writes of a large set, a thousand of them in each turn of the loop. */
export async function packInTurns<T>(
  writes: readonly EncodedWrite[],
  pack: (some: readonly EncodedWrite[]) => T,
  turn: () => Promise<unknown> = () => nextTurn(),
): Promise<readonly T[]> {
  const packed: T[] = []
  for (let at = 0; at < writes.length; at += rowsInTurn) {
    packed.push(pack(writes.slice(at, at + rowsInTurn)))
    await turn()
  }
  return packed
}
