import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
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
type Part = { readonly kept: string } | { readonly placed: string }

/** Applies treatments one after another; what one has placed, no later one looks at. */
export function redactText(
  text: string,
  treatments: readonly Treatment[],
  hashKey: Uint8Array,
): RedactedText {
  let parts: readonly Part[] = [{ kept: text }]
  let count = 0
  for (const treatment of treatments) {
    const { detect } = treatment
    if (detect === 'whole_value') continue
    const next: Part[] = []
    for (const part of parts) {
      if ('placed' in part) {
        next.push(part)
        continue
      }
      const { kept } = part
      let after = 0
      for (const { from, to } of detectors[detect].find(kept)) {
        next.push(
          { kept: kept.slice(after, from) },
          { placed: replacement(treatment, kept.slice(from, to), hashKey) ?? '' },
        )
        after = to
        count++
      }
      next.push({ kept: kept.slice(after) })
    }
    parts = next
  }
  if (count === 0) return { text, count }
  return { text: parts.map((part) => ('kept' in part ? part.kept : part.placed)).join(''), count }
}
