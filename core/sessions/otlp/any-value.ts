import { hasControl } from '../../base/text/text-rules.ts'
import type { Json } from '../../content/span.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import { ShapeError, SpanRejected, within } from './faults.ts'
import { listAt, messageAt, messagesAt, textAt } from './members.ts'

/** Attributes by key. */
export type Attributes = { readonly [key: string]: Json }

/** Names that copying would take for the insides of an object. */
export const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
const wholeNumber = /^-?\d{1,20}$/

/**
 * A list of KeyValue as an object; of a key that repeats, the last. Throws `SpanRejected` for a key that is empty, too
 * long or no plain text, and for more attributes than a step may have.
 */
export function attributesOf(owner: object, drops: (key: string) => boolean = never): Attributes {
  const listed = listAt(owner, 'attributes')
  if (listed.length > ingestLimits.attributesPerStep) throw new SpanRejected('over_limit')
  return objectOf(owner, 'attributes', drops)
}

const never = () => false

function objectOf(owner: object, name: string, drops: (key: string) => boolean): Attributes {
  const pairs = messagesAt(owner, name)
  const made: Record<string, Json> = {}
  let index = 0
  try {
    for (; index < pairs.length; index++) {
      const pair = pairs[index] as object
      const key = textAt(pair, 'key')
      if (drops(key)) continue
      checkKey(key)
      made[key] = valueAt(pair, 'value')
    }
  } catch (error) {
    throw within(error, `/${name}/${index}`)
  }
  return made
}

function checkKey(key: string): void {
  if (key.length > ingestLimits.attributeKey) throw new SpanRejected('over_limit')
  if (key === '' || forbiddenKeys.has(key) || hasControl(key)) throw new SpanRejected('bad_key')
}

function valueAt(owner: object, name: string): Json {
  const value = messageAt(owner, name)
  if (value === null) return null
  try {
    return jsonOf(value)
  } catch (error) {
    throw within(error, `/${name}`)
  }
}

/**
 * An AnyValue as JSON; null for one that holds nothing. Whole numbers beyond 2^53 - 1 and doubles that JSON has no
 * number for (`NaN`) become texts, bytes stay the base64 text that they are written as.
 */
function jsonOf(value: object): Json {
  let found: Json | undefined
  for (const form in value) {
    const formed = formOf(value as Record<string, unknown>, form)
    if (formed === undefined) continue
    if (found !== undefined) throw new ShapeError('', 'expected a value of one kind')
    found = formed
  }
  return found ?? null
}

/** The value of one kind; undefined where it is not set, and for a member that is none. */
function formOf(value: Record<string, unknown>, form: string): Json | undefined {
  const given = value[form]
  if (given === null) return undefined
  switch (form) {
    case 'stringValue':
    case 'bytesValue':
      return textAt(value, form)
    case 'boolValue':
      if (typeof given === 'boolean') return given
      throw new ShapeError(`/${form}`, 'expected true or false')
    case 'intValue':
      return wholeOf(given)
    case 'doubleValue':
      return doubleOf(given)
    case 'arrayValue':
      return itemsOf(value)
    case 'kvlistValue':
      try {
        return objectOf(messageAt(value, form) ?? {}, 'values', never)
      } catch (error) {
        throw within(error, `/${form}`)
      }
    default:
      return undefined
  }
}

function itemsOf(value: object): Json {
  const list = messageAt(value, 'arrayValue') ?? {}
  try {
    return listAt(list, 'values').map((_, index, items) => valueAt(items, String(index)))
  } catch (error) {
    throw within(error, '/arrayValue/values')
  }
}

function wholeOf(given: unknown): number | string {
  if (typeof given === 'number' && Number.isSafeInteger(given)) return given
  if (typeof given !== 'string' || !wholeNumber.test(given))
    throw new ShapeError('/intValue', 'expected a whole number, or its digits as text')
  const value = Number(given)
  return Number.isSafeInteger(value) ? value : given
}

function doubleOf(given: unknown): number | string {
  if (typeof given === 'number') return given
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN
  if (Number.isFinite(value)) return value
  if (given === 'NaN' || given === 'Infinity' || given === '-Infinity') return given
  throw new ShapeError('/doubleValue', 'expected a number')
}
