import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Slices } from '../../json/in-slices.ts'
import { type Detectable, detectors, type RedactionPolicy } from './policy.ts'
import type { Span } from './scan.ts'

/** What a redaction does with what it finds. */
export type Treatment = Pick<RedactionPolicy, 'detect' | 'action'>

/** A text after redaction, and how many parts of it were replaced. */
export interface RedactedText {
  readonly text: string
  readonly count: number
}

const utf8 = new TextEncoder()
const hashLength = 16

/** What stands for something found; null where it is removed. */
export function replacement(
  { detect, action }: Treatment,
  found: string,
  hashKey: Uint8Array,
): string | null {
  switch (action) {
    case 'mask':
      return `[redacted:${detect}]`
    case 'remove':
      return null
    case 'hash': {
      const mac = hmac(sha256, hashKey, utf8.encode(normalOf(detect, found)))
      return `[hash:${bytesToHex(mac).slice(0, hashLength)}]`
    }
  }
}

function normalOf(detect: Detectable, found: string): string {
  return detect === 'whole_value' ? found : detectors[detect].normal(found)
}

/** A part that is still as it was given, or one that stands for something found. */
type Part = Kept | { readonly placed: string }

interface Kept {
  readonly kept: string
  /** What was looked for in this part in vain. */
  readonly without: Set<Detectable>
}

/** Characters of a text that are looked at between two counts. */
const pieceLength = 32_768
/** What a part and a hash cost beside their text, in characters that are read, about. */
const partEffort = 32
const hashEffort = 512

/** Applies treatments one after another, with pauses; what one has placed, no later one looks at. */
export function* redactText(
  text: string,
  treatments: readonly Treatment[],
  hashKey: Uint8Array,
  slices: Slices,
): Generator<undefined, RedactedText> {
  let parts: readonly Part[] = [kept(text)]
  let count = 0
  for (const treatment of treatments) {
    const { detect, action } = treatment
    if (detect === 'whole_value') continue
    const next: Part[] = []
    for (const part of parts) {
      const spans = 'placed' in part ? [] : yield* spansIn(part, detect, slices)
      if ('placed' in part || spans.length === 0) {
        next.push(part)
        continue
      }
      let after = 0
      for (const { from, to } of spans) {
        if (slices.spend(partEffort + (action === 'hash' ? hashEffort : 0))) yield
        const found = part.kept.slice(from, to)
        next.push(kept(part.kept.slice(after, from)))
        next.push({ placed: replacement(treatment, found, hashKey) ?? '' })
        after = to
        count++
      }
      next.push(kept(part.kept.slice(after)))
    }
    parts = next
  }
  if (count === 0) return { text, count }
  return { text: parts.map((part) => ('kept' in part ? part.kept : part.placed)).join(''), count }
}

function kept(text: string): Kept {
  return { kept: text, without: new Set() }
}

/** What is found in a part; looks for the same but once where there is nothing. */
function* spansIn(
  { kept: text, without }: Kept,
  detect: keyof typeof detectors,
  slices: Slices,
): Generator<undefined, readonly Span[]> {
  const { scan, shortest } = detectors[detect]
  const spans: Span[] = []
  if (slices.spend(partEffort)) yield
  if (text.length < shortest || without.has(detect)) return spans
  for (let at = 0; at < text.length; ) {
    const until = Math.min(at + pieceLength, text.length)
    if (slices.spend(until - at)) yield
    at = scan(text, spans, at, until)
  }
  if (spans.length === 0) without.add(detect)
  return spans
}
