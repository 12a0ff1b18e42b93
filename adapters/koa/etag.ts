import type { ApplicationView, CaseView, TombstoneView } from '@countersign/core'

export interface CaseTag {
  readonly caseVersion: number
  readonly eventSequence: number
}

/**
 * `"<caseVersion>.<eventSequence>"`, followed by `.erased` once the content is gone: an erasure is no step of the case,
 * and a browser that asked with the tag of before would go on showing what it keeps.
 */
export function formatCaseTag(
  tag: CaseTag & { readonly presentation?: CaseView['presentation'] },
): string {
  const { caseVersion, eventSequence, presentation } = tag
  return `"${caseVersion}.${eventSequence}${presentation === null ? '.erased' : ''}"`
}

/**
 * `"<version>"`, and behind dots what changes without one: a part of the public key that is shown, and since when the
 * health is what it is. What stays of a purged application never changes: `"0"`.
 */
export function formatApplicationTag(
  application: Pick<
    ApplicationView | TombstoneView,
    'version' | 'outcomeCallback' | 'health' | 'createdAt'
  >,
): string {
  const { version, outcomeCallback, health, createdAt } = application
  const key = outcomeCallback?.signing.publicKey?.slice('whpk_'.length, keyEnd)
  const isJudged = health !== null && health.since !== createdAt
  const parts = [
    String(version ?? 0),
    ...(key ? [key.replaceAll(/[+/]/g, '-')] : []),
    ...(isJudged ? [`h${Date.parse(health.since).toString(36)}`] : []),
  ]
  return `"${parts.join('.')}"`
}

/** 12 characters of base64. */
const keyEnd = 'whpk_'.length + 12

/** As `parseIfMatch`, for the version of an application; a tag that is none of theirs is 0, which none is at. */
export function parseApplicationTag(header: string): number | null {
  const text = header.trim()
  if (text === '' || text === '*') return null
  return Number(/^"([1-9]\d{0,14})(?:\.[\w-]{12})?(?:\.h[0-9a-z]{1,11})?"$/.exec(text)?.[1] ?? 0)
}

/** What no case is ever at. */
const never: CaseTag = {
  caseVersion: Number.MAX_SAFE_INTEGER,
  eventSequence: Number.MAX_SAFE_INTEGER,
}

/**
 * The tag of an If-Match header. Null where there is none, or `*`, which every case matches (RFC 9110 13.1.1) and which
 * names no version; a tag that is none of ours matches no case.
 */
export function parseIfMatch(header: string): CaseTag | null {
  const text = header.trim()
  if (text === '' || text === '*') return null
  const match = /^"([1-9]\d{0,14})\.([1-9]\d{0,14})(?:\.erased)?"$/.exec(text)
  return match ? { caseVersion: Number(match[1]), eventSequence: Number(match[2]) } : never
}
