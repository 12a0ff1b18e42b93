import { hasControl, hasLoneSurrogate } from '../../base/text/text-rules.ts'
import type { Json } from '../../content/span.ts'
import { ingestLimits, longest } from '../../kernel/ledger/limits.ts'
import { SpanRejected } from './faults.ts'

/** A scalar as text; null for what names nothing: an absent or empty one, lists and objects. */
export function scalarText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** An id of the application's. Throws `SpanRejected` for one that is too long or has control characters. */
export function idText(text: string | null, most: number = longest.id): string | null {
  if (text === null) return null
  if (text.length > most || hasControl(text)) throw new SpanRejected('bad_id')
  return text
}

/**
 * A name for people: control characters become spaces. It ends where no redaction would take it; what is longer than a
 * name may be is cut once it was redacted, so that no part of a secret stays at its end.
 */
export function labelText(text: string | null): {
  readonly text: string | null
  readonly cut: boolean
} {
  if (text === null) return { text: null, cut: false }
  const line = hasControl(text) ? text.replace(/\p{Cc}/gu, ' ') : text
  if (line.length <= longest.name) return { text: line, cut: false }
  const cut = line.slice(0, ingestLimits.redactedText + 1)
  return { text: hasLoneSurrogate(cut) ? cut.slice(0, -1) : cut, cut: true }
}
