import type { DocumentRenderer, Printable } from '../evidence/outputs.ts'

const utf8 = new TextEncoder()

/** "Prints" a document as its kind and its JSON. For tests alone. */
export const plainRenderer: DocumentRenderer = {
  pdf: async (given: Printable | (() => Promise<Printable>)) => {
    const { kind, document } = typeof given === 'function' ? await given() : given
    return utf8.encode(`%PDF ${kind} ${JSON.stringify(document)}`)
  },
  close: async () => {},
}
