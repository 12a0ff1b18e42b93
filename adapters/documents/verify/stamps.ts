import type { Finding, ShownStamp, StampSink } from '@countersign/core/evidence'

/**
 * Who signed a stamp, as a reader trusts authorities: resolves to the authority's name, null where none of them did.
 */
export type StampVerifier = (stamp: ShownStamp) => Promise<string | null>

/** The time stamps of a file, each checked once. */
export interface StampCheck {
  readonly take: StampSink
  findings(): Promise<readonly Finding[]>
}

/** What may lie between an entry's own time and its stamp; one that is stamped later may have been made later. */
const atItsTimeMs = 86_400_000

export function createStampCheck(authorOf: StampVerifier): StampCheck {
  const stamps = new Map<string, ShownStamp>()
  return {
    take: (stamp) => void stamps.set(`${stamp.about} ${stamp.answer.join()}`, stamp),
    async findings() {
      const found: Finding[] = []
      for (const stamp of stamps.values()) found.push(findingOf(stamp, await authorOf(stamp)))
      return found
    },
  }
}

function findingOf({ about, stampedAt, anchoredAt }: ShownStamp, author: string | null): Finding {
  const at = new Date(stampedAt).toISOString()
  if (author === null) {
    const detail = `Its time stamp of ${at} is of no authority that you trust.`
    return { result: 'failed', check: 'stamp', about, detail }
  }
  if (Math.abs(stampedAt - anchoredAt) <= atItsTimeMs)
    return { result: 'verified', check: 'stamp', about, detail: `${author} stamped it at ${at}.` }
  const detail = `${author} stamped it at ${at}, over a day from when it says that it was anchored: nothing shows that it existed before.`
  return { result: 'noted', check: 'stamp', about, detail }
}
