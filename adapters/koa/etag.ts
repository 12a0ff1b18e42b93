export interface CaseTag {
  readonly caseVersion: number
  readonly eventSequence: number
}

/** `"<caseVersion>.<eventSequence>"`. */
export function formatCaseTag(tag: CaseTag): string {
  return `"${tag.caseVersion}.${tag.eventSequence}"`
}

/** `"<version>"`. */
export function formatVersionTag({ version }: { readonly version: number }): string {
  return `"${version}"`
}

/** As `parseIfMatch`, for records with one version; a tag that is none of theirs is 0, which no record is at. */
export function parseVersionTag(header: string): number | null {
  const text = header.trim()
  if (text === '' || text === '*') return null
  return Number(/^"([1-9]\d{0,14})"$/.exec(text)?.[1] ?? 0)
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
