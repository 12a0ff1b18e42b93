import type { Finding } from './finding.ts'

/** Checks a list item by item, in constant memory whatever its length. */
export interface ListCheck {
  readonly findings: readonly Finding[]
  /** Checks the next item, which is not trusted. */
  add(item: unknown): void
  /** Adds the findings on the list as a whole; called after the last item. */
  end(): void
}

/** The findings of a list that is in memory. */
export function checkedList(items: readonly unknown[], check: ListCheck): readonly Finding[] {
  for (const item of items) check.add(item)
  check.end()
  return check.findings
}
