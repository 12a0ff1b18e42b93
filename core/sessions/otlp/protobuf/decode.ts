import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { deepest, jsonFaults } from '../../../base/text/json-rules.ts'
import { ShapeError, within } from '../faults.ts'
import type { Message, MessageField, ScalarField } from './messages.ts'

/** How many values may still be read, and what is thrown for one more. */
export interface Budget {
  left: number
  readonly exceeded: () => Error
}

/** A message as far as it was read. */
export type Made = Record<string, unknown>

/**
 * Reads a message that ends at `end`, without pauses. `level` is that of its object in JSON. Throws `ShapeError` where
 * JSON of the same message is refused too: text that is no UTF-8, a field twice, too deep a value.
 */
export function decode(
  reader: BinaryReader,
  end: number,
  message: Message,
  level: number,
  budget: Budget,
): Made {
  if (level > deepest) throw new ShapeError('', jsonFaults.levels)
  const made: Made = {}
  while (reader.pos < end) {
    const tag = tagOf(reader)
    spend(budget)
    const field = message[tag >>> 3]
    if (!field) skip(reader, tag)
    else if ('wire' in field) readScalar(reader, tag, field, made)
    else readMessage(reader, tag, end, field, made, level, budget)
    if (reader.pos > end) throw new ShapeError('', endsEarly)
  }
  return made
}

export const endsEarly = 'expected protobuf: a message ends before its last field'

export function spend(budget: Budget): void {
  if (--budget.left < 0) throw budget.exceeded()
}

/** The number of a field, times 8, and the type that it is written in. */
export function tagOf(reader: BinaryReader): number {
  let tag: number
  try {
    tag = reader.uint32()
  } catch (error) {
    throw unreadable('', error)
  }
  if (tag < 8) throw new ShapeError('', 'expected protobuf: a field has no number')
  return tag
}

/** Skips a field that is not known. */
export function skip(reader: BinaryReader, tag: number): void {
  const wire: WireType = tag & 7
  // OTLP has none, and what they hold would have to be walked through.
  if (wire === WireType.StartGroup || wire === WireType.EndGroup)
    throw new ShapeError('', 'expected protobuf without groups')
  try {
    reader.skip(wire)
  } catch (error) {
    throw unreadable('', error)
  }
}

/** The end of the message of a field; the reader is at its beginning. */
export function stopOf(reader: BinaryReader, tag: number, end: number, name: string): number {
  expectWire(tag, WireType.LengthDelimited, name)
  let length: number
  try {
    length = reader.uint32()
  } catch (error) {
    throw unreadable(`/${name}`, error)
  }
  const stop = reader.pos + length
  if (stop > end) throw new ShapeError(`/${name}`, endsEarly)
  return stop
}

export function readScalar(
  reader: BinaryReader,
  tag: number,
  { name, wire, read }: ScalarField,
  made: Made,
): void {
  expectWire(tag, wire, name)
  expectOnce(made, name)
  try {
    made[name] = read(reader)
  } catch (error) {
    throw unreadable(`/${name}`, error)
  }
}

function readMessage(
  reader: BinaryReader,
  tag: number,
  end: number,
  { name, message, repeated }: MessageField,
  made: Made,
  level: number,
  budget: Budget,
): void {
  const stop = stopOf(reader, tag, end, name)
  if (!repeated) {
    expectOnce(made, name)
    made[name] = inner(reader, stop, message(), level + 1, budget, name)
    return
  }
  const list = listIn(made, name)
  list.push(inner(reader, stop, message(), level + 2, budget, name, list.length))
}

function inner(
  reader: BinaryReader,
  stop: number,
  message: Message,
  level: number,
  budget: Budget,
  name: string,
  index: number | null = null,
): Made {
  try {
    return decode(reader, stop, message, level, budget)
  } catch (error) {
    throw within(error, index === null ? `/${name}` : `/${name}/${index}`)
  }
}

/** The list of a field, which begins with its first message. */
export function listIn(made: Made, name: string): unknown[] {
  made[name] ??= []
  return made[name] as unknown[]
}

export function expectOnce(made: Made, name: string): void {
  if (name in made) throw new ShapeError(`/${name}`, jsonFaults.repeatedName)
}

function expectWire(tag: number, wire: WireType, name: string): void {
  if ((tag & 7) !== wire)
    throw new ShapeError(`/${name}`, `expected protobuf of wire type ${wire}, got ${tag & 7}`)
}

/** What is wrong with bytes that the library can't read. */
function unreadable(place: string, error: unknown): ShapeError {
  // Of a strict TextDecoder.
  if (error instanceof TypeError) return new ShapeError(place, 'expected text in UTF-8')
  return new ShapeError(place, endsEarly)
}
