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

function findingOf({ about, stampedAt, fault }: ShownStamp, author: string | null): Finding {
  const at = new Date(stampedAt).toISOString()
  if (author === null) {
    const detail = `Its time stamp of ${at} is of no authority that you trust.`
    return { result: 'failed', check: 'stamp', about, detail }
  }
  const detail = `${author} stamped it at ${at}${fault === null ? '' : `, ${fault}`}.`
  return { result: fault === null ? 'verified' : 'noted', check: 'stamp', about, detail }
}
