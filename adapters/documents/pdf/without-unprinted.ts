import { type Printable, printedEvidence } from '@countersign/core/evidence'

/** A document with nothing but what is printed of it. */
export type Reduced = Exclude<Printable, { readonly kind: 'evidence' }>

/** What is printed of a document: it is copied to the thread that prints, and may be many times smaller. */
export function withoutUnprinted(printable: Printable): Reduced {
  return printable.kind === 'evidence'
    ? { kind: 'printed-evidence', document: printedEvidence(printable.document) }
    : printable
}
