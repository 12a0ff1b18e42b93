import type { PayloadField } from './payload-records.ts'

// Contents of one step have the same subject and are sealed together: a cipher costs more to begin than to run over a
// text. Each is a line `<field> <text>`. No text has a line break, for canonical JSON escapes them.

/** What stands before the text of a content. */
export function contentPrefix(field: PayloadField): string {
  return `${field} `
}

/** What stands between two contents. */
export const contentSeparator = '\n'

/** The text of one content of those that were sealed together; null where it is not among them. */
export function contentIn(sealed: string, field: PayloadField): string | null {
  const prefix = contentPrefix(field)
  for (let start = 0; start < sealed.length; ) {
    const found = sealed.indexOf(contentSeparator, start)
    const end = found === -1 ? sealed.length : found
    if (sealed.startsWith(prefix, start)) return sealed.slice(start + prefix.length, end)
    start = end + contentSeparator.length
  }
  return null
}
