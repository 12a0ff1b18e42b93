import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Slices } from '../../base/json/in-slices.ts'
import { findInPieces, type Places } from './places.ts'
import { type Detectable, detectors, type RedactionPolicy } from './policy.ts'

/** What a redaction does with what it finds. */
export type Treatment = Pick<RedactionPolicy, 'detect' | 'action'>

/** A text after redaction, and how many parts of it were replaced. */
export interface RedactedText {
  readonly text: string
  readonly count: number
}

const utf8 = new TextEncoder()
const hashLength = 16
/** The approximate cost of a part and of a hash beside their text, in characters read. */
const partEffort = 32
const hashEffort = 512
/** Parts that are joined together: a text may have a million. */
const joinedParts = 4_096

/** The text that replaces a find; null where the find is removed. */
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

/** What one detector found, from the next on that is not covered yet. */
interface Candidates {
  readonly treatment: Treatment
  readonly places: Places
  next: number
}

/**
 * Replaces all that any treatment finds, with pauses. Where finds overlap, the longest counts, of equally long ones the
 * earlier treatment's; what others have beyond it is replaced as theirs, so that no part of any find stays. Of treatments
 * that detect the same the first counts.
 */
export function* redactText(
  text: string,
  treatments: readonly Treatment[],
  hashKey: Uint8Array,
  slices: Slices,
): Generator<undefined, RedactedText> {
  const all: Candidates[] = []
  const sought = new Set<Detectable>()
  for (const treatment of treatments) {
    const { detect } = treatment
    if (detect === 'whole_value' || sought.has(detect)) continue
    sought.add(detect)
    if (slices.spend(partEffort)) yield
    const { scan, shortest } = detectors[detect]
    if (text.length < shortest) continue
    const places = yield* findInPieces(scan, text, slices)
    if (places.count > 0) all.push({ treatment, places, next: 0 })
  }
  if (all.length === 0) return { text, count: 0 }

  const joined: string[] = []
  let parts: string[] = []
  let count = 0
  let after = 0
  for (let find = nextFind(all, 0); find; find = nextFind(all, after)) {
    const { treatment, from, to } = find
    if (slices.spend(partEffort + (treatment.action === 'hash' ? hashEffort : 0))) yield
    parts.push(text.slice(after, from), replacement(treatment, text.slice(from, to), hashKey) ?? '')
    after = to
    count++
    if (parts.length >= joinedParts) {
      joined.push(parts.join(''))
      parts = []
    }
  }
  return { text: [...joined, ...parts, text.slice(after)].join(''), count }
}

/** The next find at or after a place; null where none is left. */
function nextFind(
  all: readonly Candidates[],
  after: number,
): { readonly treatment: Treatment; readonly from: number; readonly to: number } | null {
  let best: Candidates | null = null
  let from = 0
  for (const each of all) {
    while (each.next < each.places.count && toOf(each) <= after) each.next++
    if (each.next === each.places.count) continue
    const start = Math.max(fromOf(each), after)
    const isFirst = best === null || start < from
    if (isFirst || (start === from && best !== null && lengthOf(each) > lengthOf(best))) {
      best = each
      from = start
    }
  }
  if (best === null) return null
  let to = toOf(best)
  for (const other of all) {
    if (other === best) continue
    while (other.next < other.places.count && fromOf(other) < to) {
      if (lengthOf(other) > lengthOf(best)) to = fromOf(other)
      else if (toOf(other) <= to) other.next++
      else break
    }
  }
  return { treatment: best.treatment, from, to }
}

function fromOf({ places, next }: Candidates): number {
  return places.from(next)
}

function toOf({ places, next }: Candidates): number {
  return places.to(next)
}

function lengthOf(candidates: Candidates): number {
  return toOf(candidates) - fromOf(candidates)
}
