import type { Finding } from './finding.ts'

/** A check of a list item by item, so that one of any length needs no memory. */
export interface ListCheck {
  readonly findings: readonly Finding[]
  /** Takes the next item, of a document that is not trusted. */
  add(item: unknown): void
  /** Tells what was found of the whole. */
  end(): void
}

/** The findings of a list that is in memory. */
export function checkedList(items: readonly unknown[], check: ListCheck): readonly Finding[] {
  for (const item of items) check.add(item)
  check.end()
  return check.findings
}
