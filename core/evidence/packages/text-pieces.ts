import { type Cell, csvRow } from '../csv.ts'
import { mapped } from './items.ts'

/** UTF-16 units that are gathered before they are handed on. */
const pieceUnits = 32_768

const utf8 = new TextEncoder()

/**
 * A JSON object in pieces: the members of `head`, then a list for each name, whose items are written as they come, one
 * of them in memory at a time.
 */
export function objectPieces(
  head: object,
  lists: Readonly<Record<string, AsyncIterable<unknown>>>,
): AsyncIterable<Uint8Array> {
  return gathered(objectTexts(head, lists))
}

/** JSON lines: one value on each. */
export function linePieces(items: AsyncIterable<unknown>): AsyncIterable<Uint8Array> {
  return gathered(mapped(items, (item) => `${JSON.stringify(item)}\n`))
}

/** Rows under a header as CSV (RFC 4180). */
export function csvPieces(
  columns: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncIterable<Uint8Array> {
  return gathered(csvTexts(columns, rows))
}

/** Texts as UTF-8, joined to pieces of some size. */
export async function* gathered(
  texts: AsyncIterable<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let held = ''
  for await (const text of texts) {
    held += text
    if (held.length < pieceUnits) continue
    yield utf8.encode(held)
    held = ''
  }
  if (held !== '') yield utf8.encode(held)
}

async function* objectTexts(
  head: object,
  lists: Readonly<Record<string, AsyncIterable<unknown>>>,
): AsyncGenerator<string, void, undefined> {
  const begin = JSON.stringify(head).slice(0, -1)
  yield begin
  let separator = begin === '{' ? '' : ','
  for (const [name, items] of Object.entries(lists)) {
    yield `${separator}${JSON.stringify(name)}:[`
    separator = ','
    let between = ''
    for await (const item of items) {
      yield between + JSON.stringify(item)
      between = ','
    }
    yield ']'
  }
  yield '}'
}

async function* csvTexts(
  columns: readonly string[],
  rows: AsyncIterable<readonly Cell[]>,
): AsyncGenerator<string, void, undefined> {
  yield csvRow(columns)
  for await (const row of rows) yield csvRow(row)
}
