import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeSet } from '@countersign/core/ports'
import {
  type EncodedSet,
  type EncodedWrite,
  type Encoder,
  encodeSet,
} from '@countersign/core/store-kit'

/** Rows that are encoded in one turn of the loop. */
const mostInTurn = 1_000

/**
 * Encodes a set, one of many rows a thousand in each turn of the loop. Null for one that is small enough to be encoded
 * at once. The rows may not change until it resolves.
 */
export function encodeInTurns(
  encoderOf: (name: string) => Encoder,
  set: ChangeSet,
  turn: () => Promise<unknown> = () => nextTurn(),
): Promise<EncodedSet> | null {
  const { puts = [] } = set
  return puts.length <= mostInTurn ? null : encode(encoderOf, set, puts, turn)
}

async function encode(
  encoderOf: (name: string) => Encoder,
  set: ChangeSet,
  puts: NonNullable<ChangeSet['puts']>,
  turn: () => Promise<unknown>,
): Promise<EncodedSet> {
  const first = encodeSet(encoderOf, { ...set, puts: puts.slice(0, mostInTurn) })
  const writes: EncodedWrite[] = [...first.writes]
  for (let at = mostInTurn; at < puts.length; at += mostInTurn) {
    await turn()
    for (const put of puts.slice(at, at + mostInTurn)) writes.push(encoderOf(put.in).put(put))
  }
  return { ...first, writes }
}
