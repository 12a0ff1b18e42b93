import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Cut, type CutFault, cutJson, parsePiece, textOf } from '@countersign/core/internal'
import fc from 'fast-check'

const path = ['a', null, 'b'] as const
const roomy = { pieces: 1000 }

function run<T>(slices: Generator<undefined, T>): { readonly value: T; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = slices.next()
    if (done) return { value, pauses }
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const cut = (text: string | Uint8Array, limits = roomy) =>
  run(cutJson(typeof text === 'string' ? utf8(text) : text, path, limits)).value

/** The document put together again from what was cut; a text tells what is wrong with it. */
function joined(
  given: string | Uint8Array,
  limits: Parameters<typeof cutJson>[2] = roomy,
  scan: typeof cutJson = cutJson,
): unknown {
  const bytes = typeof given === 'string' ? utf8(given) : given
  const made: Cut | CutFault = run(scan(bytes, path, limits)).value
  if ('fault' in made) return made.fault
  const values: unknown[] = []
  for (const piece of [...made.pieces, made.rest]) {
    const text = run(textOf(bytes, piece)).value
    const parsed =
      piece.fault ?? (text === null ? 'expected JSON in UTF-8' : parsePiece(text, piece))
    if (typeof parsed === 'string') return parsed
    if ('fault' in parsed) return parsed.fault
    values.push(parsed.value)
  }
  const rest = values.pop() as { readonly a?: { b?: unknown }[] }
  const items = Array.isArray(rest?.a) ? rest.a : []
  for (const item of items)
    if (typeof item === 'object' && item !== null && Array.isArray(item.b)) {
      const [first = 0, count = 0] = item.b
      item.b = values.slice(first, first + count)
    }
  return rest
}

const reference = (text: string): unknown => {
  try {
    return JSON.parse(text, (_, value) =>
      // Whole numbers beyond 2^53 become texts, which other tests look at.
      typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
        ? String(value)
        : value,
    )
  } catch {
    return 'no JSON'
  }
}

/** Documents with arrays at the path, near it and elsewhere, written with spaces and escapes where JSON allows them. */
const value = fc.jsonValue({
  maxDepth: 4,
  stringUnit: fc.constantFrom('a', '"', '\\', '[', ',', 'é', '😀', '\n', '\u2028'),
})
const withPath = fc.record({
  a: fc.array(fc.oneof(fc.record({ b: fc.array(value, { maxLength: 4 }), c: value }), value)),
  b: value,
})
const space = fc.constantFrom('', ' ', '\n', '\t\r')
const written = fc
  .tuple(fc.oneof(withPath, value), space, fc.boolean())
  .map(([document, gap, escapes]) => {
    const text = JSON.stringify(document, null, gap.trim() === '' ? gap : '')
    // Whatever is not ASCII, and the names of the path, may be written as escapes.
    return escapes
      ? text
          .replace(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .replaceAll('"b":', '"\\u0062":')
      : text
  })

describe('a JSON document that is cut into pieces', () => {
  const same = (scan: typeof cutJson) =>
    fc.property(written, (text) => assert.deepEqual(joined(text, roomy, scan), reference(text)))

  test('means what it meant whole', () => fc.assert(same(cutJson)))

  test('and that fails for cutters that lose or blur an item', () => {
    const broken: Readonly<Record<string, typeof cutJson>> = {
      *'drops the last item'(...given) {
        const made = yield* cutJson(...given)
        return 'fault' in made ? made : { ...made, pieces: made.pieces.slice(0, -1) }
      },
      *'swaps two items'(...given) {
        const made = yield* cutJson(...given)
        return 'fault' in made ? made : { ...made, pieces: [...made.pieces].reverse() }
      },
      *'takes the first array of any name'(bytes, _, limits) {
        return yield* cutJson(bytes, [null], limits)
      },
    }
    for (const [name, scan] of Object.entries(broken))
      assert.throws(() => fc.assert(same(scan)), name)
  })

  test('is refused where the whole is no JSON', () => {
    fc.assert(
      fc.property(
        written,
        fc.nat(),
        fc.constantFrom(...'"\\,:[]{}01x\u0000', ''),
        (text, at, put) => {
          const place = at % (text.length + 1)
          const broken = text.slice(0, place) + put + text.slice(place + 1)
          const whole = reference(broken)
          if (whole === 'no JSON') assert.equal(typeof joined(broken), 'string', broken)
        },
      ),
      // A colon in the place of an item takes the count of values down again.
      { examples: [['{"a":[{"b":[ 0]}]}', '{"a":[{"b":['.length, ':']] },
    )
  })

  test('pauses after each 128 KiB, within a text too', () => {
    // One without an escape is skipped at once.
    const long = '\\n'.repeat(500_000)
    const { value: made, pauses } = run(
      cutJson(utf8(`{"a":[{"b":["${long}"]}]}`), path, { pieces: 9 }),
    )
    assert.ok(!('fault' in made))
    assert.ok(pauses >= 7)
  })

  test('counts the items over the limit and keeps none of them', () => {
    const made = cut('{"a":[{"b":[1,2]},{"b":[3,[4,5],{"x":6}]}]}', { pieces: 3 })
    assert.ok(!('fault' in made))
    assert.equal(made.pieces.length, 3)
    assert.equal(made.over, 2)
    assert.deepEqual(joined('{"a":[{"b":[1,2]},{"b":[3,4]}]}', { pieces: 3 }), {
      a: [{ b: [1, 2] }, { b: [3] }],
    })
  })
})

describe('a JSON document that parsing would change', () => {
  const refused = (text: string | Uint8Array, why: RegExp) => {
    const fault = joined(text)
    assert.equal(typeof fault, 'string', String(text))
    assert.match(fault as string, why)
  }
  const places = ['{"a":[{"b":[X]}]}', '{"a":[{"b":[],"c":X}]}', 'X', '[X]']

  test('is refused: members twice, names of insides, half pairs, numbers beyond doubles', () => {
    for (const place of places) {
      const put = (text: string) => place.replace('X', text)
      refused(put('{"x":1,"x":1}'), /each member once/)
      refused(put('{"x":1,"\\u0078":1}'), /each member once/)
      for (const name of ['__proto__', 'constructor', 'prototype'])
        refused(put(`{"${name}":1}`), /may not be named/)
      refused(put('{"\\u005f_proto__":{}}'), /may not be named/)
      refused(put('"\\ud800"'), /half surrogate/)
      refused(put('"\\uDC00\\uD800"'), /half surrogate/)
      refused(put('{"\\udfff":1}'), /half surrogate/)
      refused(put('0.12345678901234567890'), /a number that a double holds/)
      refused(put('1e400'), /a number that a double holds/)
      refused(put(`{"${'n'.repeat(1001)}":1}`), /at most 1000/)
    }
  })

  test('is refused past 64 levels, however deep it goes', () => {
    assert.equal(typeof joined('['.repeat(64) + ']'.repeat(64)), 'object')
    refused('['.repeat(65) + ']'.repeat(65), /64 levels/)
    refused('['.repeat(200_000), /64 levels/)
    refused('{"a":'.repeat(200_000), /64 levels/)
  })

  test('keeps whole numbers beyond 2^53 as their digits', () => {
    const text =
      '{"a":[{"b":[9007199254740993,-9007199254740993,1795177744486000001]}],"c":1e22,"d":9007199254740991}'
    assert.deepEqual(joined(text), {
      a: [{ b: ['9007199254740993', '-9007199254740993', '1795177744486000001'] }],
      c: '1e22',
      d: 9007199254740991,
    })
  })

  test('is refused where it is no UTF-8 or has a byte order mark', () => {
    const bytes = (...hex: number[]) =>
      new Uint8Array([...utf8('{"a":[{"b":["'), ...hex, ...utf8('"]}]}')])
    refused(bytes(0xc3), /UTF-8/)
    refused(bytes(0xed, 0xa0, 0x80), /UTF-8/)
    refused(new Uint8Array([0xef, 0xbb, 0xbf, ...utf8('{}')]), /JSON/)
    refused(new Uint8Array([...utf8('{"a":[{"b":['), 0xef, 0xbb, 0xbf, ...utf8('1]}]}')]), /JSON/)
  })

  test('takes a full pair that is written as escapes', () => {
    assert.deepEqual(joined('["\\ud83d\\ude00"]'), ['😀'])
  })
})
