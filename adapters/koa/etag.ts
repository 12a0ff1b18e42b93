import type { ApplicationView, TombstoneView } from '@countersign/core'

export interface CaseTag {
  readonly caseVersion: number
  readonly eventSequence: number
}

/** `"<caseVersion>.<eventSequence>"`. */
export function formatCaseTag(tag: CaseTag): string {
  return `"${tag.caseVersion}.${tag.eventSequence}"`
}

/**
 * `"<version>"`, and behind a dot a part of the public key that is shown, which rotates without a new version. What
 * stays of a purged application never changes: `"0"`.
 */
export function formatApplicationTag(
  application: Pick<ApplicationView | TombstoneView, 'version' | 'outcomeCallback'>,
): string {
  const { version, outcomeCallback } = application
  const key = outcomeCallback?.signing.publicKey?.slice('whpk_'.length, keyEnd)
  return key ? `"${version}.${key.replaceAll(/[+/]/g, '-')}"` : `"${version ?? 0}"`
}

/** 12 characters of base64. */
const keyEnd = 'whpk_'.length + 12

/** As `parseIfMatch`, for the version of an application; a tag that is none of theirs is 0, which none is at. */
export function parseApplicationTag(header: string): number | null {
  const text = header.trim()
  if (text === '' || text === '*') return null
  return Number(/^"([1-9]\d{0,14})(?:\.[\w-]{12})?"$/.exec(text)?.[1] ?? 0)
}

/** What no case is ever at: versions begin with 1. */
const never: CaseTag = { caseVersion: 0, eventSequence: 0 }

/**
 * The tag of an If-Match header. Null where there is none, or `*`, which every case matches (RFC 9110 13.1.1) and which
 * names no version; a tag that is none of ours matches no case.
 */
export function parseIfMatch(header: string): CaseTag | null {
  const text = header.trim()
  if (text === '' || text === '*') return null
  const match = /^"([1-9]\d{0,14})\.([1-9]\d{0,14})"$/.exec(text)
  return match ? { caseVersion: Number(match[1]), eventSequence: Number(match[2]) } : never
}
