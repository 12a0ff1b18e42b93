import type { Finding } from '@countersign/core/evidence'

/** Members of a pack that are time stamps by themselves, compared with the JSON that shows them. */
export interface StampFiles {
  /** Takes the text of a member; those that can show stamps stand in front of the stamps. */
  see(path: string, text: string): void
  /** A finding on a member that is a stamp. */
  check(path: string, content: Uint8Array): Finding
}

/** Whether a member is a time stamp by its name. */
export function isStampFile(path: string): boolean {
  return path.endsWith('.tsr')
}

export function createStampFiles(): StampFiles {
  // What shows the stamp of a member, by its path: a line of the ledger, or the evidence beside it.
  let ledger: ReadonlyMap<string, string> = new Map()
  let evidence = ['', '']
  return {
    see(path, text) {
      if (path.endsWith('/evidence.json'))
        evidence = [path.replace(/evidence\.json$/, 'time-stamp.tsr'), text]
      if (path !== 'anchors.jsonl') return
      const lines = text.matchAll(/"sequence":([0-9]+),[^\n]*/g)
      ledger = new Map([...lines].map(([line, sequence]) => [`time-stamps/${sequence}.tsr`, line]))
    },
    check(path, content) {
      const text = path === evidence[0] ? evidence[1] : ledger.get(path)
      const isShown = text?.includes(`"timeStamp":"${base64Of(content)}"`)
      return {
        result: isShown ? 'verified' : 'failed',
        check: 'file',
        about: path,
        detail: `It is ${isShown ? 'the' : 'no'} time stamp that a ledger entry in front of it has.`,
      }
    },
  }
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
