import type { Slices } from '../../base/json/in-slices.ts'
import type { Scan, Span } from './scan.ts'

/** Places in a text, in order and without overlaps: a text of some MiB may have a million. */
export interface Places {
  readonly count: number
  from(index: number): number
  to(index: number): number
}

/** Characters of a text that are looked at between two counts. */
const pieceLength = 32_768

/** All that a scan finds in a text, with pauses. */
export function* findInPieces(
  scan: Scan,
  text: string,
  slices: Slices,
): Generator<undefined, Places> {
  let ends = new Uint32Array(16)
  let count = 0
  // A scan looks back at the last of what it found.
  let spans: Span[] = []
  let known = 0
  for (let at = 0; at < text.length; ) {
    const until = Math.min(at + pieceLength, text.length)
    if (slices.spend(until - at)) yield
    at = scan(text, spans, at, until)
    for (const { from, to } of spans.slice(known)) {
      if (ends.length < 2 * count + 2) {
        const more = new Uint32Array(ends.length * 2)
        more.set(ends)
        ends = more
      }
      ends[2 * count] = from
      ends[2 * count + 1] = to
      count++
    }
    spans = spans.slice(-1)
    known = spans.length
  }
  return {
    count,
    from: (index) => ends[2 * index] ?? 0,
    to: (index) => ends[2 * index + 1] ?? 0,
  }
}
